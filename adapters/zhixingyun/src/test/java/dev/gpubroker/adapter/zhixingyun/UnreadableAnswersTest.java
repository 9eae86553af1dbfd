package dev.gpubroker.adapter.zhixingyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Window;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A platform, or what stands in front of it, that answers with something else than an answer. */
class UnreadableAnswersTest {
    private static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final PlatformRef REF = new PlatformRef("cn", "instance", List.of("m1"));
    private static final String RUNNING = "{\"Container_name\":\"m1\",\"Status\":1}";

    private interface Reply {
        void to(HttpExchange exchange) throws IOException;
    }

    private HttpServer server;
    private volatile Reply reply = with(404, "");
    private final CountDownLatch end = new CountDownLatch(1);

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(java.util.concurrent.Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            reply.to(exchange);
        });
        server.start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        server.stop(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<html>维护中</html>",
                "{\"success\":true,\"code\":\"2000\",\"data\":{\"Container_name\":\"m1\"",
                "{\"success\":true,\"code\":\"2000\",\"message\":\"\",\"data\":{}}",
                "{\"success\":true,\"code\":\"2000\",\"message\":\"\",\"data\":null}",
                "{\"success\":true,\"code\":\"4000\",\"message\":\"\",\"data\":null}",
                "{\"success\":false,\"code\":\"2000\",\"message\":\"\",\"data\":null}",
                "{\"success\":false,\"code\":\"5000\",\"message\":\"\",\"data\":null}",
                "{\"success\":false,\"code\":\"4000\",\"message\":\"nonce重复\",\"data\":null}",
                "{\"message\":\"ok\"}",
                "[]",
                "null"
            })
    void aCreateWithoutAClearAnswerIsUnknown(String body) {
        reply = with(200, body);

        assertThat(claim()).isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 302, 403, 500, 502, 503, 504})
    void aCreateAnsweredByAGatewayIsUnknown(int status) {
        reply = with(status, status == 204 ? "" : "gateway");

        assertThat(claim()).isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @Test
    void aCreateWhoseAnswerBreaksOffIsUnknown() {
        reply = exchange -> {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write("{\"success\":".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        };

        assertThat(claim()).isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @Test
    void aCreateWhoseAnswerBeginsAndNeverEndsIsUnknownInTime() {
        reply = exchange -> {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
            await();
        };

        assertTimeout(Duration.ofSeconds(5), () -> assertThat(claim()).isEqualTo(new ClaimOutcome.Unknown(KEY)));
    }

    @Test
    void aCreateThatCouldNotBeSentTookNothing() throws IOException {
        int closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = socket.getLocalPort();
        }
        PlatformFault fault = catchThrowableOfType(
                PlatformFault.class,
                () -> adapter(URI.create("http://127.0.0.1:" + closed)).claim(request()));

        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.UNREACHABLE);
    }

    @Test
    void tooManyRequestsTellHowLongToWait() {
        reply = exchange -> {
            exchange.getResponseHeaders().add("Retry-After", "7");
            with(429, "slow down").to(exchange);
        };
        PlatformFault fault = catchThrowableOfType(PlatformFault.class, this::claim);

        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.THROTTLED);
        assertThat(fault.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"list\":[],\"has_more\":false,\"total_count\":1}",
                "{\"list\":[],\"has_more\":false}",
                "{\"list\":[],\"total_count\":0}",
                "{\"list\":null,\"has_more\":false,\"total_count\":0}",
                "{\"list\":[{\"Container_name\":\"m1\"}],\"has_more\":false,\"total_count\":1}",
                "{\"list\":[],\"has_more\":true,\"total_count\":0}"
            })
    void aListThatIsNotCompleteProvesNothing(String data) {
        reply = good(data);

        assertThat(adapter().find(KEY)).isInstanceOf(Finding.CannotTell.class);
    }

    @Test
    void anEmptyListThatIsCompleteDoesNotHoldTheKey() {
        reply = good("{\"list\":[],\"has_more\":false,\"total_count\":0}");

        assertThat(adapter().find(KEY)).isEqualTo(new Finding.NotListed());
    }

    @Test
    void aRefusedReleaseIsTriedAgainLater() {
        reply = exchange -> {
            boolean detail = exchange.getRequestURI().getPath().endsWith("get_instance_detail");
            with(200, detail ? envelope(RUNNING) : "{\"success\":false,\"code\":\"4000\",\"message\":\"该状态不能退租\"}")
                    .to(exchange);
        };

        ReleaseProgress progress = adapter().release(REF);

        assertThat(progress).isInstanceOf(ReleaseProgress.Refused.class);
        assertThat(((ReleaseProgress.Refused) progress).retryAt()).isAfter(NOW);
        assertThat(((ReleaseProgress.Refused) progress).detail()).contains("该状态不能退租");
    }

    @Test
    void noFaultQuotesTheAnswerOrTheSecret() {
        reply = with(200, "{\"Init_passwd\":hunter2}"); // The parser's own message quotes such a word.
        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter().status(REF));

        for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
            assertThat(String.valueOf(cause)).doesNotContain("hunter2", "SK1");
        }
    }

    // ---- steps ----------------------------------------------------------------------------------------------

    private ClaimOutcome claim() {
        return adapter().claim(request());
    }

    private static ClaimRequest request() {
        Offer offer = Offer.now("GeForce RTX 4090×8", new Flavor("RTX4090", 8), "cn", null, Stock.plenty())
                .with(Map.of(
                        "gpu_type", "GeForce RTX 4090",
                        "spec_name", "gcs.g8.base",
                        "image_name", "ubuntu22_cuda12.4",
                        "images", "ubuntu22_cuda12.4"));
        return new ClaimRequest(
                KEY,
                "inst0001",
                offer,
                1,
                Window.of(NOW, Duration.ofDays(5)),
                Pack.HOUR,
                null,
                MachineSpec.standard(),
                null);
    }

    private PlatformAdapter adapter() {
        return adapter(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
    }

    private static PlatformAdapter adapter(URI endpoint) {
        return new ZhixingyunAdapterFactory()
                .create(new AccountSettings(
                        "test",
                        "inst0001",
                        List.of("cn"),
                        endpoint,
                        Map.of("access_key", "AK1", "secret_key", "SK1"),
                        Map.of(),
                        Duration.ofMillis(500),
                        Duration.ofMillis(500),
                        true,
                        InstantSource.fixed(NOW)));
    }

    private static Reply good(String data) {
        return with(200, envelope(data));
    }

    private static String envelope(String data) {
        return "{\"success\":true,\"code\":\"2000\",\"message\":\"\",\"data\":" + data + "}";
    }

    private static Reply with(int status, String body) {
        return exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) {
                exchange.getResponseBody().write(bytes);
            }
            exchange.close();
        };
    }

    private void await() {
        try {
            end.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
