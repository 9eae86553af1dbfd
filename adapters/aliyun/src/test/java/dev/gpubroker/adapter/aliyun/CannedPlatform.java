package dev.gpubroker.adapter.aliyun;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server that answers with prepared replies, whatever is asked, and counts what came in; for replies no simulator gives. */
final class CannedPlatform implements AutoCloseable {
    /** @param declaredLength more than the body has, to cut it off; 0 = as long as the body */
    private record Reply(int status, String body, int declaredLength, String retryAfter) {}

    private final HttpServer server;
    private final Deque<Reply> replies = new ArrayDeque<>();
    private final List<String> actions = new CopyOnWriteArrayList<>();

    CannedPlatform() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
        server.createContext("/", this::answer);
        server.start();
    }

    CannedPlatform then(int status, String body) {
        replies.add(new Reply(status, body.replace('\'', '"'), 0, ""));
        return this;
    }

    CannedPlatform thenWait(int status, String body, String retryAfter) {
        replies.add(new Reply(status, body.replace('\'', '"'), 0, retryAfter));
        return this;
    }

    /** A body that ends before its declared length. */
    CannedPlatform thenCut(int status, String body) {
        replies.add(new Reply(status, body.replace('\'', '"'), body.length() + 100, ""));
        return this;
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Actions in the order in which they came. */
    List<String> actions() {
        return List.copyOf(actions);
    }

    private void answer(HttpExchange exchange) throws IOException {
        actions.add(exchange.getRequestHeaders().getFirst("x-acs-action"));
        Reply reply = replies.isEmpty() ? new Reply(599, "no reply prepared", 0, "") : replies.poll();
        byte[] body = reply.body.getBytes(StandardCharsets.UTF_8);
        if (!reply.retryAfter.isEmpty()) {
            exchange.getResponseHeaders().set("Retry-After", reply.retryAfter);
        }
        int length = Math.max(reply.declaredLength, body.length);
        exchange.sendResponseHeaders(reply.status, length == 0 ? -1 : length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
            out.flush();
            if (length > body.length) {
                exchange.close();
            }
        } catch (IOException cutOnPurpose) {
            if (length == body.length) {
                throw cutOnPurpose;
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
