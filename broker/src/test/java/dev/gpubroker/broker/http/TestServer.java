package dev.gpubroker.broker.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server on the test contract and a free port; what its operations do can be changed while it runs. */
final class TestServer implements AutoCloseable {
    static final String TOKEN = "s3cret-of-the-admin";
    static final Caller ADMIN = new Caller("platform", "admin", true);
    static final String BOOKING = """
            {"gpu": {"model": "A100", "count": 8}, "start": "2026-12-20T00:00:00+08:00", "duration": "P5D"}""";

    private final Vertx vertx = Vertx.vertx();
    final Map<String, ApiHandler> handlers = new ConcurrentHashMap<>();
    private final HttpService service;
    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;

    TestServer(IdempotencyStore store, List<Readiness.Check> checks) {
        Contract contract = Contract.ofResource("/http/contract.yaml");
        RouteTable table = RouteTable.of(List.<Routes>of(new Readiness(checks), this::addTo));
        // A second team shows that keys are each team's own.
        Authenticator tokens = Authenticator.firstOf(List.of(
                new AdminTokenAuthenticator(TOKEN, ADMIN),
                new AdminTokenAuthenticator("other", new Caller("vision", "ci", false)),
                token -> token.equals("away")
                        ? Future.failedFuture(new java.net.ConnectException("refused"))
                        : Future.succeededFuture(Optional.empty())));
        ContractRouter router = new ContractRouter(contract, table, tokens, store, PgFaults::isUnavailable);
        service = await(router.build(vertx, List.of(new WebPages(contract)))
                .map(built -> new HttpService(vertx, HttpSettings.of("127.0.0.1", 0), built)));
        port = await(service.start());
    }

    private void addTo(RouteTable table) {
        for (String id : List.of(
                "bookReservation",
                "listReservations",
                "readReservation",
                "changeReservation",
                "acceptProposal",
                "pausePurchases")) {
            table.on(id, request -> {
                ApiHandler handler = handlers.get(id);
                return handler == null
                        ? Future.succeededFuture(ApiReply.ok(Map.of("by", id)))
                        : handler.handle(request);
            });
        }
    }

    int port() {
        return port;
    }

    Answer get(String path, String... headers) {
        return send("GET", path, null, headers);
    }

    /** Posts JSON. */
    Answer post(String path, String body, String... headers) {
        String[] all = new String[headers.length + 2];
        all[0] = "Content-Type";
        all[1] = "application/json";
        System.arraycopy(headers, 0, all, 2, headers.length);
        return send("POST", path, body, all);
    }

    /** Posts these bytes as the admin, with a key of their own. */
    Answer sendBytes(String path, byte[] body, String contentType) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .POST(BodyPublishers.ofByteArray(body))
                .header("Authorization", "Bearer " + TOKEN)
                .header("Content-Type", contentType)
                .header("Idempotency-Key", "bytes-" + Arrays.hashCode(body))
                .build();
        return answer(request);
    }

    /** Sends as the admin, unless the headers have an Authorization of their own; an empty one means none. */
    Answer send(String method, String path, @Nullable String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body, UTF_8));
        boolean authorised = false;
        for (int i = 0; i < headers.length; i += 2) {
            authorised |= headers[i].equals("Authorization");
            if (!headers[i + 1].isEmpty()) {
                request.header(headers[i], headers[i + 1]);
            }
        }
        if (!authorised) {
            request.header("Authorization", "Bearer " + TOKEN);
        }
        return answer(request.build());
    }

    private Answer answer(HttpRequest request) {
        try {
            return new Answer(client.send(request, BodyHandlers.ofString(UTF_8)));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** What came back. */
    record Answer(HttpResponse<String> http) {
        int status() {
            return http.statusCode();
        }

        String header(String name) {
            return http.headers().firstValue(name).orElse("");
        }

        String body() {
            return http.body();
        }

        JsonNode json() {
            try {
                return ApiJson.mapper().readTree(http.body());
            } catch (JsonProcessingException e) {
                throw new IllegalStateException(http.body(), e);
            }
        }

        String code() {
            return json().path("code").asText();
        }

        /** Fields at fault in the order told, each with the code of its error. */
        List<String> errors() {
            List<String> errors = new java.util.ArrayList<>();
            json().path("errors")
                    .forEach(error -> errors.add(error.path("field").asText() + " "
                            + error.path("code").asText()));
            return errors;
        }
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    Future<Void> stop() {
        return service.stop();
    }

    @Override
    public void close() {
        await(service.stop());
        await(vertx.close());
    }
}
