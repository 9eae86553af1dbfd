package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The Python command for jobs, run as a process of its own in a folder of its own. */
final class JobCommand {
    static final Path FILE = Path.of("src/main/resources/cli/gpu-broker").toAbsolutePath();
    private static final long PATIENCE_SECONDS = 120;

    final Path folder;
    private final Process process;
    private final Path out;
    private final Path err;
    private boolean killed;

    private JobCommand(Path folder, ProcessBuilder builder) throws IOException {
        this.folder = folder;
        this.out = folder.resolve("out.txt");
        this.err = folder.resolve("err.txt");
        this.process = builder.directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
    }

    /** Skips the test, visibly, where there is no Python. */
    static void mustBeThere() {
        assumeTrue(runs("python3", "--version"), "python3 is missing");
    }

    private static boolean runs(String... words) {
        try {
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException missing) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Whether its grammar is that of the oldest Python that it promises to work with. */
    static boolean isOfPython38() {
        return runs(
                "python3",
                "-c",
                "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 8))",
                FILE.toString());
    }

    /** Makes an empty file where the job runs. */
    void write(String name) {
        try {
            Files.createFile(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JobCommand start(Path folder, RunningBroker broker, String... words) {
        return start(folder, broker.forClients(), words);
    }

    static JobCommand start(Path folder, Map<String, String> environment, String... words) {
        List<String> whole = new ArrayList<>(List.of("python3", FILE.toString(), "lease"));
        whole.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(whole);
        builder.environment().putAll(environment);
        return start(folder, builder);
    }

    /** As a CI system does it: a process whose environment is what that system sets, and nothing of ours. */
    static JobCommand ofCi(Path folder, Map<String, String> environment, List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().keySet().retainAll(Set.of("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYENV_ROOT"));
        builder.environment().putAll(environment);
        return start(folder, builder);
    }

    private static JobCommand start(Path folder, ProcessBuilder builder) {
        try {
            return new JobCommand(Files.createDirectories(folder), builder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its exit code. */
    int code() {
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("it ends: %s", said())
                    .isTrue();
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** What the job printed. */
    String printed() {
        return read(out);
    }

    /** What the command itself said. */
    String said() {
        return read(err);
    }

    void signal(String name) {
        runs("kill", "-" + name, Long.toString(process.pid()));
    }

    /** Ends it without giving it a chance to do anything. */
    void kill() {
        killed = true;
        process.destroyForcibly();
    }

    /** Waits for something that comes after its end. */
    void andThen(String what, BooleanSupplier holds) {
        killed = true;
        until(what, holds);
    }

    /** Waits for something that the process brings about; so it must live, unless it was killed to see what is left of it. */
    void until(String what, BooleanSupplier holds) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("%s: %s %s", what, said(), printed())
                    .isLessThan(end);
            assertThat(killed || process.isAlive())
                    .as("%s: %s %s", what, said(), printed())
                    .isTrue();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
