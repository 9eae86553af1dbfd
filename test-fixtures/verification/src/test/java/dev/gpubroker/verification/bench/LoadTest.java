package dev.gpubroker.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoadTest {
    private static final Duration STALL = Duration.ofMillis(400);

    private final AtomicInteger served = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            if (served.incrementAndGet() == 1) {
                stall();
            }
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("ok".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    /** The server is what is slow here, for a set time. */
    private static void stall() {
        try {
            new CountDownLatch(1).await(STALL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void requestsThatHadToWaitBehindASlowOneAreSlowToo() throws Exception {
        Load load =
                new Load(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));

        Load.Outcome outcome = load.open(1, 100, Duration.ofMillis(300), (wire, number) -> wire.get("/"));

        assertThat(outcome.replies()).hasSize(30).allMatch(reply -> reply.status() == 200);
        // The last one was meant to leave at 290 ms and could not before the first was answered.
        assertThat(outcome.latencies().percentile(1)).isGreaterThan(100);
    }

    @Test
    void aFixedNumberOfRequestsIsSentWhateverTheClients() throws Exception {
        Load load =
                new Load(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));

        assertThat(load.exactly(3, 20, (wire, number) -> wire.get("/")).replies())
                .hasSize(20);
        assertThat(served).hasValue(20);
    }
}
