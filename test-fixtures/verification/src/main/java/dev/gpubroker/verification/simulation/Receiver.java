package dev.gpubroker.verification.simulation;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Takes the brokers' news, and at times refuses it. */
final class Receiver implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "news-receiver");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Long> received = ConcurrentHashMap.newKeySet();
    private volatile boolean refuses;

    Receiver() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException fault) {
            throw new UncheckedIOException("no port for the news", fault);
        }
        server.setExecutor(threads);
        server.createContext("/", this::take);
        server.start();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            if (refuses) {
                exchange.sendResponseHeaders(503, -1);
                return;
            }
            String id = exchange.getRequestHeaders().getFirst("webhook-id");
            received.add(Long.parseLong(id.substring(id.lastIndexOf('_') + 1)));
            exchange.sendResponseHeaders(204, -1);
        }
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/news");
    }

    void refuse(boolean now) {
        refuses = now;
    }

    /** Whether the outbox's message arrived. */
    boolean has(long outboxId) {
        return received.contains(outboxId);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
