package dev.gpubroker.adapter.aws;

import com.sun.net.httpserver.HttpServer;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.simulator.aws.AwsSimulatorFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers with what it was given, in order, the last for ever, and counts. */
final class CannedServer implements AutoCloseable {
    record Reply(int status, String body) {}

    private final HttpServer http;
    private final Deque<Reply> replies = new ArrayDeque<>();
    private final AtomicInteger requests = new AtomicInteger();

    CannedServer(Reply... replies) {
        this.replies.addAll(List.of(replies));
        try {
            http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException fault) {
            throw new IllegalStateException("no port", fault);
        }
        http.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.getRequestBody().readAllBytes();
            Reply reply = this.replies.size() > 1 ? this.replies.removeFirst() : this.replies.getFirst();
            byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("content-type", "text/xml;charset=UTF-8");
            exchange.sendResponseHeaders(reply.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        http.start();
    }

    int requests() {
        return requests.get();
    }

    AwsAdapter adapter(InstantSource businessTime) {
        return adapter(URI.create("http://127.0.0.1:" + http.getAddress().getPort()), businessTime);
    }

    static AwsAdapter adapter(URI endpoint, InstantSource businessTime) {
        AwsSimulatorFactory simulator = new AwsSimulatorFactory();
        Duration timeout = Duration.ofMillis(1500);
        AccountSettings settings = new AccountSettings(
                "test",
                "inst0001",
                List.of("us-east-2"),
                endpoint,
                simulator.credentials(),
                simulator.options(),
                timeout,
                timeout,
                true,
                businessTime);
        return (AwsAdapter) new AwsAdapterFactory().create(settings);
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
