package dev.gpubroker.broker.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.access.SshGreeting.Heard;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much of SSH is spoken to learn whether a machine is there, and which. */
class SshGreetingTest {
    private static final Duration PATIENCE = Duration.ofMillis(500);

    @TempDir
    Path folder;

    private static Heard heard(int port) {
        return SshGreeting.from(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"curve25519-sha256", "ecdh-sha2-nistp256"})
    void aRealServerShowsItsKey(String exchange) {
        try (SshServer server = new SshServer(folder).start(List.of(), "KexAlgorithms " + exchange)) {
            Heard heard = heard(server.port());

            assertThat(heard.server()).startsWith("SSH-2.0-OpenSSH");
            assertThat(heard.hostKey()).isEqualTo(server.hostKey());
        }
    }

    @Test
    void anEllipticKeyAndAnRsaKeyAreReadAsWell() {
        for (String kind : List.of("ecdsa", "rsa")) {
            Path own = folder.resolve(kind);
            own.toFile().mkdir();
            try (SshServer server = new SshServer(own)) {
                Path key = server.makeKey("other", kind);
                server.start(
                        List.of(),
                        "HostKey " + key,
                        "HostKeyAlgorithms " + (kind.equals("rsa") ? "rsa-sha2-512" : "ecdsa-sha2-nistp256"));

                assertThat(heard(server.port()).hostKey())
                        .isEqualTo(SshServer.publicHalf(key).replaceAll(" other$", ""));
            }
        }
    }

    /** It greets, and that is all that is needed: its key comes with the first login. */
    @Test
    void aServerThatSharesNoDialectWithUsIsThereAllTheSame() {
        try (SshServer server = new SshServer(folder).start(List.of(), "KexAlgorithms diffie-hellman-group14-sha256")) {
            Heard heard = heard(server.port());

            assertThat(heard.server()).startsWith("SSH-2.0-");
            assertThat(heard.hostKey()).isNull();
        }
    }

    @Test
    void nobodyListening() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }

        Heard heard = heard(port);

        assertThat(heard.server()).isNull();
        assertThat(heard.reached()).as("a refusal comes from somebody").isTrue();
        assertThat(heard.detail()).containsIgnoringCase("refused");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 400 Bad Request\r\n\r\n",
                "SSH-1.5-old\r\n",
                "SSH-2.0-\u001b[31mred\r\n",
                "",
                "SSH-2.0-no line end"
            })
    void whatIsNoServerIsNotTakenForOne(String says) throws Exception {
        assertThat(answering(says).server()).isNull();
    }

    @Test
    void whoeverGreetsAndThenTalksNonsenseShowsNoKey() throws Exception {
        assertThat(answering("hello\r\nSSH-2.0-odd\r\n\u0000\u0000\u00ff\u00ffjunk")
                        .server())
                .isEqualTo("SSH-2.0-odd");
        Heard heard = answering("SSH-2.0-odd\r\n\u0000\u0000\u0000\u0006\u0004\u0014\u0001\u0001\u0001\u0001");
        assertThat(heard.server()).isEqualTo("SSH-2.0-odd");
        assertThat(heard.hostKey()).isNull();
    }

    @Test
    void silenceEnds() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            long begun = System.nanoTime();

            Heard heard = SshGreeting.from(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort()), PATIENCE);

            assertThat(heard.server()).isNull();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        }
    }

    private static Heard answering(String says) throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread server = new Thread(() -> {
                try (Socket caller = socket.accept()) {
                    caller.getOutputStream().write(says.getBytes(StandardCharsets.ISO_8859_1));
                    caller.getOutputStream().flush();
                    caller.shutdownOutput();
                    caller.getInputStream().readAllBytes();
                } catch (IOException gone) {
                    // The other side broke off, as it may.
                }
            });
            server.start();
            Heard heard = heard(socket.getLocalPort());
            server.join();
            return heard;
        }
    }
}
