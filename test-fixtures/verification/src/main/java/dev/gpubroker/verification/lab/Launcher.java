package dev.gpubroker.verification.lab;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How the program is started as a process: through the wrapper of a built checkout, as people do, or from this JVM's class
 * path, which works before anything was packaged.
 */
public final class Launcher {
    private final List<String> command;

    private Launcher(List<String> command) {
        this.command = command;
    }

    /** Through {@code deploy/gpu-broker} of a checkout that was built. */
    public static Launcher ofCheckout(Path home) {
        return new Launcher(List.of(home.resolve("deploy/gpu-broker").toString()));
    }

    /** From what this JVM runs on. */
    public static Launcher ofThisClassPath() {
        return new Launcher(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-Duser.timezone=UTC",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.gpubroker.broker.cli.GpuBroker"));
    }

    /** Starts it; what it prints is appended to {@code log}. No setting of the caller's own broker reaches it. */
    Process start(List<String> arguments, Map<String, String> environment, Path log) throws IOException {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(whole).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("GPU_BROKER_"));
        builder.environment().putAll(environment);
        Files.createDirectories(log.toAbsolutePath().getParent());
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        return builder.start();
    }
}
