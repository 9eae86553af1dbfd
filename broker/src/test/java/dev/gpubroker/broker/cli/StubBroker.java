package dev.gpubroker.broker.cli;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A broker that answers with the examples of the contract, and remembers what it was asked. */
final class StubBroker implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final Path EXAMPLES = Path.of("..", "openapi", "examples");

    private final HttpServer server;
    private final Map<String, Deque<Reply>> replies = new HashMap<>();
    private final List<Call> calls = Collections.synchronizedList(new ArrayList<>());

    /** One answer; status 0 closes the connection instead. */
    private record Reply(int status, String body, Map<String, String> headers) {}

    /** One request. */
    record Call(String method, String path, @Nullable String query, Map<String, String> headers, String body) {
        JsonNode json() {
            return parse(body);
        }

        @Nullable
        String header(String name) {
            return headers.get(name);
        }
    }

    private StubBroker(String host) {
        try {
            this.server = HttpServer.create(new InetSocketAddress(host, 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::answer);
        server.start();
    }

    static StubBroker start() {
        return new StubBroker("127.0.0.1");
    }

    static StubBroker startAt(String host) {
        return new StubBroker(host);
    }

    static ObjectNode example(String name) {
        try {
            return (ObjectNode) parse(Files.readString(EXAMPLES.resolve(name + ".json"), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next answer to a call, as in {@code "GET /v1/status"}; the last one stays. */
    StubBroker on(String call, int status, JsonNode body) {
        return on(call, status, body.toString(), Map.of());
    }

    StubBroker on(String call, int status, String body, Map<String, String> headers) {
        replies.computeIfAbsent(call, each -> new ArrayDeque<>()).add(new Reply(status, body, headers));
        return this;
    }

    /** The next call gets no answer. */
    StubBroker losing(String call) {
        return on(call, 0, "", Map.of());
    }

    String url() {
        return "http://" + server.getAddress().getHostString() + ":"
                + server.getAddress().getPort();
    }

    List<Call> calls() {
        return List.copyOf(calls);
    }

    /** The calls to one path. */
    List<Call> calls(String method, String path) {
        return calls().stream()
                .filter(call -> call.method().equals(method) && call.path().equals(path))
                .toList();
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        Map<String, String> headers = new HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
        String path = exchange.getRequestURI().getPath();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        calls.add(new Call(
                exchange.getRequestMethod(), path, exchange.getRequestURI().getQuery(), headers, body));
        Deque<Reply> queue = replies.getOrDefault(exchange.getRequestMethod() + " " + path, new ArrayDeque<>());
        Reply reply = queue.size() > 1 ? queue.poll() : queue.peek();
        if (reply == null) {
            reply = new Reply(404, "no such call here: " + exchange.getRequestMethod() + " " + path, Map.of());
        }
        if (reply.status() == 0) {
            exchange.close();
            return;
        }
        byte[] bytes = requireNonNull(reply).body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        reply.headers().forEach(exchange.getResponseHeaders()::add);
        exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
