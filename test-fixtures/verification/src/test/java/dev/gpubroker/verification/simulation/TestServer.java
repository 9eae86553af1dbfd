package dev.gpubroker.verification.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The one PostgreSQL of this module's tests; starts with the first and stops with the JVM. */
final class TestServer {
    static final Path FOLDER = folder();
    static final Server SERVER = Server.start(FOLDER);

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close, "test-server-closer"));
    }

    private TestServer() {}

    private static Path folder() {
        try {
            return Files.createDirectories(
                    Path.of("target", "simulation-" + ProcessHandle.current().pid())
                            .toAbsolutePath());
        } catch (IOException fault) {
            throw new IllegalStateException(fault);
        }
    }
}
