package dev.gpubroker.verification.lab;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server of ours as a child process that can be killed, frozen and started again, always with the same settings. */
abstract class ServerProcess implements AutoCloseable {
    /** On two busy cores a start takes ten seconds and more. */
    private static final Duration START_LIMIT = Duration.ofSeconds(90);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(40);

    private final Launcher launcher;
    private final List<String> arguments;
    private final Map<String, String> environment;
    private final Path log;
    private final URI probe;
    private @Nullable Process process;

    /** @param probe answers 200 once it serves */
    ServerProcess(Launcher launcher, List<String> arguments, Map<String, String> environment, Path log, URI probe) {
        this.launcher = launcher;
        this.arguments = List.copyOf(arguments);
        this.environment = Map.copyOf(environment);
        this.log = log;
        this.probe = probe;
    }

    /** Starts it without waiting; it must not run. */
    public final void launch() throws IOException {
        if (isAlive()) {
            throw new IllegalStateException(this + " runs already");
        }
        process = launcher.start(arguments, environment, log);
    }

    /**
     * Waits until it serves.
     *
     * @throws IOException if it ended instead, or took too long
     */
    public final void awaitReady() throws IOException, InterruptedException {
        Api api = new Api(probe, "none", Duration.ofSeconds(3));
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (!isReady(api)) {
            if (!isAlive()) {
                throw new IOException(this + " ended instead of starting; see " + log);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(this + " does not come up; see " + log);
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private boolean isReady(Api api) throws InterruptedException {
        try {
            return api.get(probe.getPath()).status() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** As kill -9; returns when it is gone. */
    public final void kill() throws InterruptedException {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().waitFor();
        }
    }

    /** SIGSTOP: it stands still, with all its connections open. */
    public final void freeze() throws IOException, InterruptedException {
        Signals.send("STOP", pid());
    }

    /** SIGCONT: it goes on as if no time had passed. */
    public final void thaw() throws IOException, InterruptedException {
        Signals.send("CONT", pid());
    }

    /** SIGTERM, and SIGKILL if that takes too long. */
    public final void stop() throws InterruptedException {
        Process running = process;
        if (running == null) {
            return;
        }
        running.destroy();
        if (!running.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            running.destroyForcibly().waitFor();
        }
    }

    public final boolean isAlive() {
        return process != null && process.isAlive();
    }

    public final long pid() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException(this + " was never started");
        }
        return running.pid();
    }

    public final Path log() {
        return log;
    }

    /** Kills what still runs, also when it is frozen. */
    @Override
    public final void close() throws InterruptedException {
        kill();
    }
}
