package dev.gpubroker.broker.scenario;

import dev.gpubroker.broker.access.SshServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A machine that one logs in to: a real sshd whose home is a folder of the test. */
final class LoginHost implements AutoCloseable {
    private final SshServer server;
    private final Path folder;
    private final Path key;
    /** Where a login begins. */
    final Path home;

    private LoginHost(SshServer server, Path folder) throws IOException {
        this.server = server;
        this.folder = folder;
        this.key = server.makeKey("user", "ed25519");
        this.home = Files.createDirectories(folder.resolve("home"));
    }

    /** Skips the test, visibly, where there is no sshd. */
    static LoginHost start(Path folder) throws IOException {
        LoginHost host = new LoginHost(new SshServer(folder), folder);
        host.server.start(
                List.of(SshServer.publicHalf(host.key)),
                "ForceCommand export HOME='%1$s' PATH='%1$s/bin':\"$PATH\" && cd \"$HOME\" && eval \"$SSH_ORIGINAL_COMMAND\""
                        .formatted(host.home));
        return host;
    }

    /** What the command for jobs has to be told to log in. */
    List<String> words() {
        return new ArrayList<>(List.of(
                "--identity",
                key.toString(),
                "--ssh-option",
                "UserKnownHostsFile=" + folder.resolve("known_hosts"),
                "--ssh-option",
                "IdentitiesOnly=yes"));
    }

    /** A private key that is let in. */
    Path key() {
        return key;
    }

    /** As a pool's host is written. */
    String address() {
        return "127.0.0.1:" + server.port();
    }

    @Override
    public void close() {
        server.close();
    }
}
