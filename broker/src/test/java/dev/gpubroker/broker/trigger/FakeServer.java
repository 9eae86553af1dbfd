package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A server of somebody else's API that takes only what that API takes, keeps what it was told, and may lose its replies. */
public abstract class FakeServer implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final int port;
    final List<String> seen = new ArrayList<>();
    private final Deque<String> faults = new ArrayDeque<>();

    FakeServer(Vertx vertx) {
        server = vertx.createHttpServer().requestHandler(this::take);
        port = server.listen(0, "127.0.0.1").await().actualPort();
    }

    /** What was asked. */
    record Asked(HttpServerRequest http, String body) {
        String call() {
            return http.method() + " " + http.path();
        }

        String header(String name) {
            return String.valueOf(http.getHeader(name));
        }

        JsonNode json() {
            try {
                return JSON.readTree(body);
            } catch (JsonProcessingException e) {
                throw new Wrong(400, "Problems parsing JSON");
            }
        }

        Map<String, String> form() {
            Map<String, String> fields = new LinkedHashMap<>();
            for (String field : body.split("&", -1)) {
                String[] parts = field.split("=", 2);
                fields.put(decoded(parts[0]), decoded(parts[1]));
            }
            return fields;
        }

        private static String decoded(String text) {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        }
    }

    record Reply(int status, Map<String, String> headers, String body) {
        static Reply of(int status, String body) {
            return new Reply(status, Map.of("Content-Type", "application/json"), body);
        }
    }

    /** The request is not one that the API takes. */
    static final class Wrong extends RuntimeException {
        private static final long serialVersionUID = 1L;
        final int status;

        Wrong(int status, String message) {
            super(message);
            this.status = status;
        }
    }

    /** As GitHub answers above its secondary limits: docs.github.com, "Rate limits for the REST API". */
    private static final Reply LIMITED = new Reply(
            403,
            Map.of("Content-Type", "application/json", "Retry-After", "1200"),
            "{\"message\":\"You have exceeded a secondary rate limit\"}");

    /** Does what is asked. */
    abstract Reply answer(Asked asked);

    /** Whether nothing can be read, while starts go through. */
    volatile boolean unreadable;

    private void take(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            Asked asked = new Asked(request, body.toString(StandardCharsets.UTF_8));
            String fault;
            Reply reply;
            synchronized (this) {
                seen.add(asked.call());
                fault = request.method().name().equals("POST") && !faults.isEmpty() ? faults.removeFirst() : "";
                reply = fault.equals("limit")
                        ? LIMITED
                        : fault.equals("refuse")
                                        || (unreadable
                                                && request.method().name().equals("GET"))
                                ? Reply.of(503, "{\"message\":\"try later\"}")
                                : answered(asked);
            }
            if (fault.equals("lose")) {
                request.connection().close();
                return;
            }
            if (fault.equals("gateway")) {
                reply = Reply.of(502, "bad gateway");
            }
            reply.headers().forEach(request.response()::putHeader);
            request.response().setStatusCode(reply.status()).end(reply.body());
        });
    }

    private Reply answered(Asked asked) {
        try {
            return answer(asked);
        } catch (Wrong wrong) {
            return Reply.of(wrong.status, "{\"message\":\"" + wrong.getMessage() + "\"}");
        }
    }

    static void must(boolean right, int status, String message) {
        if (!right) {
            throw new Wrong(status, message);
        }
    }

    /** The next start takes effect and its reply never comes. */
    synchronized void losesReply() {
        faults.add("lose");
    }

    /** The next start takes effect and a gateway answers for it. */
    synchronized void answersBadGateway() {
        faults.add("gateway");
    }

    /** The next start takes no effect. */
    synchronized void refuses() {
        faults.add("refuse");
    }

    /** The next start takes no effect, since there were too many. */
    synchronized void limits() {
        faults.add("limit");
    }

    synchronized List<String> seen() {
        return List.copyOf(seen);
    }

    public String url() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        server.close().await();
    }
}
