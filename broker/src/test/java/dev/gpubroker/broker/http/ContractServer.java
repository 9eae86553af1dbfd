package dev.gpubroker.broker.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.gpubroker.broker.database.TestDatabase;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Some routes on the published contract; all others answer 204. Two callers are known: {@code admin} of team {@code default},
 * {@code stranger} of team {@code vision}.
 */
public final class ContractServer implements AutoCloseable {
    private final HttpClient client = HttpClient.newHttpClient();
    private final HttpService service;
    private final int port;

    public ContractServer(TestDatabase database, List<Routes> routes) {
        Authenticator tokens = Authenticator.firstOf(List.of(
                new AdminTokenAuthenticator("admin", new Caller("default", "admin", true)),
                new AdminTokenAuthenticator("stranger", new Caller("vision", "bob", true))));
        Contract contract = Contract.packaged();
        RouteTable table = RouteTable.of(routes);
        Set<String> answered = Set.copyOf(table.handlers().keySet());
        try {
            for (JsonNode id : new YAMLMapper().readTree(contract.published()).findValues("operationId")) {
                if (!answered.contains(id.asText())) {
                    table.on(id.asText(), request -> Future.succeededFuture(ApiReply.noContent()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ContractRouter router = new ContractRouter(
                contract,
                table,
                tokens,
                new PgIdempotencyStore(database.database().pool()),
                PgFaults::isUnavailable);
        service = new HttpService(
                database.vertx(),
                HttpSettings.of("127.0.0.1", 0),
                router.build(database.vertx(), List.of()).await());
        port = service.start().await();
    }

    /** What came back. */
    public record Answer(HttpResponse<String> http) {
        public int status() {
            return http.statusCode();
        }

        public JsonNode json() {
            try {
                return ApiJson.mapper().readTree(http.body());
            } catch (IOException e) {
                throw new AssertionError(http.body(), e);
            }
        }

        /** Fields at fault, each with its code. */
        public List<String> errors() {
            List<String> errors = new ArrayList<>();
            json().path("errors")
                    .forEach(error -> errors.add(error.path("field").asText() + " "
                            + error.path("code").asText()));
            return errors;
        }
    }

    public Answer send(String token, String method, String path, @Nullable String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + token)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body, UTF_8));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        try {
            return new Answer(client.send(request.build(), BodyHandlers.ofString(UTF_8)));
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        service.stop().await();
    }
}
