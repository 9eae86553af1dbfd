package dev.gpubroker.broker.access;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real {@code sshd} of this computer, as the user that runs the tests, on a port and with keys of its own. */
public final class SshServer implements AutoCloseable {
    private static final Path SSHD = Path.of("/usr/sbin/sshd");

    private final Path folder;
    private final int port;
    private Process process;

    /** Does not start it yet. Skips the test where there is none. */
    public SshServer(Path folder) {
        assumeTrue(Files.isExecutable(SSHD), "no /usr/sbin/sshd: install openssh-server");
        this.folder = folder;
        this.port = freePort();
        makeKey("host", "ed25519");
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    public int port() {
        return port;
    }

    /** Makes a key pair and gives the private half's file; the public one lies beside it. */
    public Path makeKey(String name, String kind) {
        Path file = folder.resolve(name);
        run("ssh-keygen", "-q", "-t", kind, "-N", "", "-C", name, "-f", file.toString());
        return file;
    }

    public static String publicHalf(Path key) {
        try {
            return Files.readString(Path.of(key + ".pub")).strip();
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    /** Kind and Base64 of its host key. */
    public String hostKey() {
        return publicHalf(folder.resolve("host")).replaceAll(" host$", "");
    }

    /** Starts it; whoever has one of the keys may log in. Waits until it listens. */
    public SshServer start(List<String> keys, String... more) {
        try {
            Path authorized = Files.write(folder.resolve("authorized"), keys);
            Files.setPosixFilePermissions(authorized, PosixFilePermissions.fromString("rw-------"));
            List<String> config = new ArrayList<>(List.of(
                    "Port " + port,
                    "ListenAddress 127.0.0.1",
                    "HostKey " + folder.resolve("host"),
                    "PidFile none",
                    "AuthorizedKeysFile " + authorized,
                    "PasswordAuthentication no",
                    "PermitRootLogin prohibit-password",
                    "StrictModes no",
                    "UsePAM no"));
            config.addAll(List.of(more));
            Path file = Files.write(folder.resolve("sshd_config"), config);
            if (System.getProperty("user.name").equals("root")) {
                Files.createDirectories(Path.of("/run/sshd")); // Made by the service where there is one.
            }
            process = new ProcessBuilder(SSHD.toString(), "-D", "-e", "-f", file.toString())
                    .redirectErrorStream(true)
                    .start();
            // It says so as soon as it listens; the rest of its log is not wanted.
            String line = process.inputReader().readLine();
            while (line != null && !line.startsWith("Server listening")) {
                line = process.inputReader().readLine();
            }
            if (line == null) {
                throw new IllegalStateException("sshd ended at once with " + process.waitFor());
            }
            Thread reader = new Thread(() -> process.inputReader().lines().forEach(said -> {}), "sshd's log");
            reader.setDaemon(true); // A pipe that nobody reads would stop it.
            reader.start();
            return this;
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        }
    }

    /** Runs a command to its end and gives what it printed. */
    public static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String out = new String(process.getInputStream().readAllBytes());
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError(String.join(" ", command) + ": " + out);
            }
            return out;
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroy();
        }
    }
}
