package dev.gpubroker.broker.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.gpubroker.broker.config.MachineLogin;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs a shell script on a machine with the {@code ssh} of this computer. */
final class RemoteCommand {
    /** What a machine's key stands under: its address belongs to another machine tomorrow. */
    private static final String ALIAS = "machine";

    private static final int LONGEST_COMPLAINT = 300;
    private static final int MOST_PRINTED = 4096;

    private final MachineLogin login;
    private final Path knownHosts;
    private final Duration longest;

    /**
     * @param knownHosts keys of own machines, which keep theirs; written when one is met for the first time
     * @param longest a script that takes longer is ended
     */
    RemoteCommand(MachineLogin login, Path knownHosts, Duration longest) {
        this.login = login;
        this.knownHosts = knownHosts;
        this.longest = longest;
    }

    /**
     * Blocks until the script has ended.
     *
     * @param address of the machine, resolved and allowed
     * @param input for the script's standard input
     * @return what it printed, the beginning of it
     * @throws IOException saying what ssh or the script complained about last
     */
    String run(Machine machine, InetAddress address, String script, String input)
            throws IOException, InterruptedException {
        String key = machine.hostKey();
        Path seen = key == null ? null : Files.createTempFile("gpu-broker-known-hosts", "");
        try {
            if (seen != null) {
                Files.writeString(seen, ALIAS + " " + key + "\n");
            }
            return run(words(machine, address, seen, script), input);
        } finally {
            if (seen != null) {
                Files.deleteIfExists(seen);
            }
        }
    }

    private List<String> words(Machine machine, InetAddress address, @Nullable Path seen, String script) {
        List<String> words = new ArrayList<>(
                List.of("ssh", "-T", "-F", "none", "-i", login.identityFile().toString()));
        List<String> options = new ArrayList<>(List.of("BatchMode=yes", "IdentitiesOnly=yes", "ConnectTimeout=10"));
        options.add("CheckHostIP=no");
        options.add("GlobalKnownHostsFile=/dev/null");
        if (seen != null) {
            options.addAll(List.of("HostKeyAlias=" + ALIAS, "StrictHostKeyChecking=yes", "UserKnownHostsFile=" + seen));
        } else {
            // A bought machine without a seen key is met once; what its address showed another day says nothing.
            Path file = machine.isOwn() ? knownHosts : Path.of("/dev/null");
            options.addAll(List.of("StrictHostKeyChecking=accept-new", "UserKnownHostsFile=" + file));
        }
        options.forEach(option -> words.addAll(List.of("-o", option)));
        Integer port = machine.login().port();
        words.addAll(List.of("-p", String.valueOf(port == null ? Login.SSH : port)));
        words.addAll(List.of("-l", Objects.requireNonNullElse(machine.login().user(), login.user())));
        words.addAll(List.of("--", address.getHostAddress(), "exec sh -c '" + script.replace("'", "'\\''") + "'"));
        return words;
    }

    private String run(List<String> words, String input) throws IOException, InterruptedException {
        Path printed = Files.createTempFile("gpu-broker-ssh", "");
        Path said = Files.createTempFile("gpu-broker-ssh", "");
        try {
            Process ssh = new ProcessBuilder(words)
                    .redirectOutput(printed.toFile())
                    .redirectError(said.toFile())
                    .start();
            try {
                feed(ssh, input);
                if (!ssh.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IOException("the machine took longer than " + longest.toSeconds() + " s");
                }
            } finally {
                ssh.destroyForcibly();
            }
            if (ssh.exitValue() != 0) {
                throw new IOException("ssh ended with " + ssh.exitValue() + ": " + complaint(Files.readString(said)));
            }
            return beginning(printed);
        } finally {
            Files.deleteIfExists(said);
            Files.deleteIfExists(printed);
        }
    }

    private static String beginning(Path printed) throws IOException {
        try (InputStream in = Files.newInputStream(printed)) {
            return new String(in.readNBytes(MOST_PRINTED), UTF_8);
        }
    }

    /** Nobody reads it where the login failed; its exit code then says so. */
    private static void feed(Process ssh, String input) {
        try (OutputStream in = ssh.getOutputStream()) {
            in.write(input.getBytes(UTF_8));
        } catch (IOException notRead) {
            // Said by the exit code.
        }
    }

    private static String complaint(String said) {
        String last = said.lines().filter(line -> !line.isBlank()).reduce("no reason given", (one, next) -> next);
        return last.substring(0, Math.min(LONGEST_COMPLAINT, last.length()));
    }
}
