package dev.gpubroker.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls over a real connection, to names that only the fake resolver knows. */
@SuppressWarnings("NullAway.Init") // The folder is given before each test.
class OutboundTest {
    private static final OutboundRules HERE =
            new OutboundRules(true, List.of(new OutboundRules.Ports(1, 65_535)), List.of(Network.of("127.0.0.0/8")));

    @TempDir
    private Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final FakeResolver names = new FakeResolver().then("hooks.example", "127.0.0.1");
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        vertx.close().await();
    }

    private int serve(HttpServerOptions options, Consumer<HttpServerRequest> handler) {
        HttpServer server = vertx.createHttpServer(options.setHost("127.0.0.1").setPort(0))
                .requestHandler(request -> {
                    seen.add(request.getHeader("Host") + " " + request.uri());
                    handler.accept(request);
                });
        return server.listen().await().actualPort();
    }

    /** Made by the tool of the JDK, since no Java API makes one. */
    private PfxOptions certificateOf(String name) throws IOException, InterruptedException {
        Path store = folder.resolve(name + ".p12");
        Process tool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "server",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:" + name,
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tool.waitFor()).as(said).isZero();
        return new PfxOptions().setPath(store.toString()).setPassword("changeit");
    }

    private Outbound outbound(OutboundRules rules, HttpClientOptions tls, Duration limit) {
        return new Outbound(vertx, new OutboundGuard(names, () -> rules), tls, limit);
    }

    private Outbound outbound() {
        return outbound(HERE, new HttpClientOptions(), Outbound.ANSWER_LIMIT);
    }

    private static Call post(String url, @Nullable String body) {
        return new Call(
                HttpMethod.POST, URI.create(url), Map.of("x-a", "b"), body == null ? null : Buffer.buffer(body), 16, 0);
    }

    private static Throwable faultOf(Future<Answer> sent) {
        return sent.map(answer -> (Throwable) new AssertionError("answered " + answer))
                .otherwise(fault -> fault)
                .await();
    }

    @Test
    void theConnectionGoesToTheCheckedAddressUnderTheNamesHostAndCertificate() throws Exception {
        PfxOptions certificate = certificateOf("hooks.example");
        int port = serve(
                new HttpServerOptions().setSsl(true).setSni(true).setKeyCertOptions(certificate),
                request -> request.response().end(request.connection().indicatedServerName()));
        HttpClientOptions trusting = new HttpClientOptions().setTrustOptions(certificate);

        Answer answer = outbound(HERE, trusting, Outbound.ANSWER_LIMIT)
                .send(post("https://hooks.example:" + port + "/a%20b?c=d", "{}"))
                .await();

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body().toString()).as("SNI").isEqualTo("hooks.example");
        assertThat(seen).containsExactly("hooks.example:" + port + " /a%20b?c=d");
    }

    @Test
    void aCertificateForAnotherNameIsRefusedBeforeAnythingIsSent() throws Exception {
        PfxOptions certificate = certificateOf("elsewhere.example");
        int port = serve(
                new HttpServerOptions().setSsl(true).setKeyCertOptions(certificate),
                request -> request.response().end());
        HttpClientOptions trusting = new HttpClientOptions().setTrustOptions(certificate);

        Throwable fault = faultOf(outbound(HERE, trusting, Outbound.ANSWER_LIMIT)
                .send(post("https://hooks.example:" + port + "/", "{}")));

        assertThat(fault).isInstanceOf(CallFault.class).hasMessageContaining("TLS");
        assertThat(((CallFault) fault).maybeArrived()).isFalse();
        assertThat(seen).isEmpty();
    }

    @Test
    void aNameThatTurnsToAForbiddenAddressIsNotCalled() {
        int port = serve(new HttpServerOptions(), request -> request.response().end());
        names.then("rebinding.example", "127.0.0.1").then("rebinding.example", "10.0.0.1");
        Outbound outbound = outbound();
        String url = "http://rebinding.example:" + port + "/";

        assertThat(outbound.send(post(url, null)).await().status()).isEqualTo(200);
        assertThat(faultOf(outbound.send(post(url, null)))).isInstanceOf(RefusedAddress.class);
        assertThat(seen).hasSize(1);
    }

    @Test
    void aRedirectIsAnAnswerAndNotFollowed() {
        int port = serve(
                new HttpServerOptions(),
                request -> request.response()
                        .setStatusCode(307)
                        .putHeader("Location", "/elsewhere")
                        .end());

        assertThat(outbound()
                        .send(post("http://hooks.example:" + port + "/", "{}"))
                        .await()
                        .status())
                .isEqualTo(307);
        assertThat(seen).hasSize(1);
    }

    @Test
    void anAnswerThatNeverEndsIsCutOff() {
        int port = serve(
                new HttpServerOptions(),
                request ->
                        request.response().setChunked(true).setStatusCode(500).write("0123456789".repeat(100)));

        Answer answer = outbound()
                .send(post("http://hooks.example:" + port + "/", "{}"))
                .await();

        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.body().toString()).isEqualTo("0123456789012345");
    }

    @Test
    void whoDoesNotAnswerMayHaveTakenIt() {
        int port = serve(new HttpServerOptions(), request -> {});

        Throwable fault = faultOf(outbound(HERE, new HttpClientOptions(), Duration.ofMillis(200))
                .send(post("http://hooks.example:" + port + "/", "{}")));

        assertThat(fault).isInstanceOf(CallFault.class).hasMessageContaining("no answer within");
        assertThat(((CallFault) fault).maybeArrived()).isTrue();
    }

    @Test
    void aStatusCountsEvenIfItsBodyIsNeverFinished() {
        int port = serve(
                new HttpServerOptions(),
                request ->
                        request.response().setChunked(true).setStatusCode(202).write("part"));

        Answer answer = outbound(HERE, new HttpClientOptions(), Duration.ofMillis(300))
                .send(post("http://hooks.example:" + port + "/", "{}"))
                .await();

        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.body().toString()).isEqualTo("part");
    }

    @Test
    void aConnectionThatBreaksBeforeTheAnswerMayHaveTakenIt() {
        int port =
                serve(new HttpServerOptions(), request -> request.connection().close());

        Throwable fault = faultOf(outbound().send(post("http://hooks.example:" + port + "/", "{}")));

        assertThat(((CallFault) fault).maybeArrived()).isTrue();
    }

    @Test
    void aPortThatNobodyListensOnHasTakenNothing() {
        int port = serve(new HttpServerOptions(), request -> request.response().end());
        vertx.close().await();
        Vertx another = Vertx.vertx();
        try {
            Throwable fault = faultOf(new Outbound(another, new OutboundGuard(names, () -> HERE))
                    .send(post("http://hooks.example:" + port + "/", "{}")));

            assertThat(fault).hasMessage("the connection was refused");
            assertThat(((CallFault) fault).maybeArrived()).isFalse();
        } finally {
            another.close().await();
        }
    }
}
