package dev.gpubroker.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.http.AdminTokenAuthenticator;
import dev.gpubroker.broker.http.ApiJson;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.Authenticator;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Contract;
import dev.gpubroker.broker.http.ContractRouter;
import dev.gpubroker.broker.http.HttpService;
import dev.gpubroker.broker.http.HttpSettings;
import dev.gpubroker.broker.http.PgFaults;
import dev.gpubroker.broker.http.PgIdempotencyStore;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Scope;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** This package over HTTP, on the published contract and a real database; what belongs to others answers who called. */
final class IdentityServer implements AutoCloseable, InstantSource {
    static final String ADMIN = "the-admin-token-of-this-test";
    static final Instant START = Instant.parse("2026-12-01T02:00:00Z");

    private final HttpClient client = HttpClient.newHttpClient();
    private final IdentityModule identity;
    private final HttpService server;
    private final int port;
    private final Map<String, String> operations = new TreeMap<>();
    private volatile Instant now = START;

    IdentityServer(TestDatabase database, boolean simulated) throws IOException {
        Contract contract = Contract.packaged();
        identity =
                new IdentityModule(database.vertx(), database.database(), this, ZoneId.of("Asia/Shanghai"), simulated);
        RouteTable table = RouteTable.of(identity.routes());
        JsonNode paths = new YAMLMapper().readTree(contract.published()).get("paths");
        paths.fields()
                .forEachRemaining(path -> path.getValue().fields().forEachRemaining(method -> {
                    JsonNode id = method.getValue().get("operationId");
                    if (id != null) {
                        boolean open = method.getValue().has("security");
                        if (!open) {
                            operations.put(
                                    id.asText(),
                                    method.getKey().toUpperCase(java.util.Locale.ROOT) + " " + path.getKey());
                        }
                        answerFor(table, id.asText());
                    }
                }));
        Authenticator callers = Authenticator.firstOf(List.of(
                new AdminTokenAuthenticator(ADMIN, new Caller("default", "admin", true)), identity.authenticator()));
        ContractRouter router = new ContractRouter(
                contract,
                table,
                callers,
                new PgIdempotencyStore(database.database().pool()),
                PgFaults::isUnavailable);
        server = new HttpService(
                database.vertx(),
                HttpSettings.of("127.0.0.1", 0),
                router.build(database.vertx(), List.of()).await());
        port = server.start().await();
    }

    private static void answerFor(RouteTable table, String id) {
        try {
            table.on(
                    id,
                    request -> Future.succeededFuture(ApiReply.ok(Map.of(
                            "team", request.caller().team(),
                            "name", request.caller().name(),
                            "scopes",
                                    request.caller().grants().scopes().stream()
                                            .map(Scope::wireName)
                                            .sorted()
                                            .toList()))));
        } catch (IllegalArgumentException ours) {
            // This package answers it.
        }
    }

    /** Method and path of every operation that needs a token, by its id. */
    Map<String, String> operations() {
        return operations;
    }

    @Override
    public Instant instant() {
        return now;
    }

    void advance(Duration time) {
        now = now.plus(time);
    }

    void startAgain() {
        now = START;
    }

    /** @param token null sends none */
    Answer call(@Nullable String token, String method, String path, @Nullable String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Content-Type", "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body, UTF_8));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString(UTF_8));
            return new Answer(
                    answer.statusCode(),
                    answer.headers().firstValue("Content-Type").orElse(""),
                    answer.body());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(method + " " + path, e);
        }
    }

    /** As the administrator. */
    Answer post(String path, String body) {
        return call(ADMIN, "POST", path, body);
    }

    record Answer(int status, String type, String body) {
        JsonNode json() {
            try {
                return ApiJson.mapper().readTree(body);
            } catch (IOException e) {
                throw new IllegalStateException(body, e);
            }
        }

        String text(String member) {
            return json().path(member).asText();
        }
    }

    @Override
    public void close() {
        server.stop().await();
        identity.close();
    }
}
