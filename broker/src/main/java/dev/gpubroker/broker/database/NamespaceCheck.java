package dev.gpubroker.broker.database;

import dev.gpubroker.broker.config.StartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** PostgreSQL refuses to run as root. As root it is run in a user namespace of its own, where that is allowed. */
final class NamespaceCheck {
    private NamespaceCheck() {}

    /** @throws StartException naming the ways out, if this user can run no server */
    static void run() {
        run(isRoot(), List.of("unshare", "-U", "true"));
    }

    static void run(boolean root, List<String> probe) {
        if (root && !succeeds(probe)) {
            throw new StartException(
                    "The embedded database cannot run as root here: this machine forbids user namespaces, and"
                            + " PostgreSQL refuses root. Either start the broker as another user, or set GPU_BROKER_DATABASE_URL to a"
                            + " PostgreSQL server, such as postgresql://user:password@host:5432/database.");
        }
    }

    private static boolean isRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return "root".equals(System.getProperty("user.name"));
        }
    }

    private static boolean succeeds(List<String> command) {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
