package dev.gpubroker.broker.scenario;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A machine that one logs in to: a real sshd on a port of its own, with keys of its own, whose home is a folder of the test. */
final class LoginHost implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 30;

    private final Path folder;
    private final Process daemon;
    final int port;
    /** Where a login begins. */
    final Path home;

    private LoginHost(Path folder, Path home, int port, Process daemon) {
        this.folder = folder;
        this.home = home;
        this.port = port;
        this.daemon = daemon;
    }

    /** Skips the test, visibly, where there is no sshd, or none that may be started. */
    static LoginHost start(Path folder) throws IOException {
        Path sshd = Stream.concat(
                        Arrays.stream(System.getenv("PATH").split(File.pathSeparator)),
                        Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(each -> Path.of(each, "sshd"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeTrue(sshd != null, "sshd is missing");
        assumeTrue(run("ssh", "-V") == 0, "ssh is missing");
        Path home = Files.createDirectories(folder.resolve("home"));
        key(folder.resolve("host"));
        key(folder.resolve("user"));
        int port = freePort();
        Path settings = Files.writeString(folder.resolve("sshd_config"), """
                Port %d
                ListenAddress 127.0.0.1
                HostKey %2$s/host
                AuthorizedKeysFile %2$s/user.pub
                PidFile none
                StrictModes no
                UsePAM no
                PasswordAuthentication no
                PermitRootLogin yes
                PermitUserEnvironment no
                ForceCommand export HOME='%3$s' PATH='%3$s/bin':"$PATH" && cd "$HOME" && eval "$SSH_ORIGINAL_COMMAND"
                """.formatted(port, folder, home));
        Path refusal = folder.resolve("sshd.txt");
        Process check = new ProcessBuilder(sshd.toString(), "-t", "-f", settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(refusal.toFile())
                .start();
        assumeTrue(codeOf(check) == 0, () -> "sshd may not be started here: " + text(refusal));
        Process daemon = new ProcessBuilder(sshd.toString(), "-D", "-e", "-f", settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("sshd.log").toFile())
                .start();
        LoginHost host = new LoginHost(folder, home, port, daemon);
        host.awaitListening();
        return host;
    }

    private void awaitListening() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!text(folder.resolve("sshd.log")).contains("Server listening")) {
            if (System.nanoTime() > end || !daemon.isAlive()) {
                throw new AssertionError("sshd does not listen: " + text(folder.resolve("sshd.log")));
            }
            Thread.onSpinWait();
        }
    }

    /** What the command for jobs has to be told to log in. */
    List<String> words() {
        return new ArrayList<>(List.of(
                "--identity",
                key().toString(),
                "--ssh-option",
                "UserKnownHostsFile=" + folder.resolve("known_hosts"),
                "--ssh-option",
                "IdentitiesOnly=yes"));
    }

    /** A private key that is let in. */
    Path key() {
        return folder.resolve("user");
    }

    /** As a pool's host is written. */
    String address() {
        return "127.0.0.1:" + port;
    }

    @Override
    public void close() {
        daemon.destroy();
    }

    private static void key(Path file) {
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file.toString());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static int run(String... words) {
        try {
            return codeOf(new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException missing) {
            return -1;
        }
    }

    private static int codeOf(Process process) {
        try {
            return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) ? process.exitValue() : -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
