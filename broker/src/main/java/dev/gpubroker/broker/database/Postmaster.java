package dev.gpubroker.broker.database;

import dev.gpubroker.broker.config.StartException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server process of a data directory. A broker that is killed leaves its server running: it must be stopped before
 * another can start, and nothing but our own server may be. Call only while holding the {@link DataLock}.
 */
final class Postmaster {
    private static final Logger LOG = LoggerFactory.getLogger(Postmaster.class);
    private static final Duration FAST_STOP = Duration.ofSeconds(20);
    private static final Duration IMMEDIATE_STOP = Duration.ofSeconds(10);

    private static final Duration POLL = Duration.ofMillis(20);

    private Postmaster() {}

    /** Stops the server that runs on {@code directory}, if one does, and waits until it is gone. */
    static void stopOrphan(Path directory) {
        Path pidFile = directory.resolve("postmaster.pid");
        Optional<ProcessHandle> named = process(pidFile);
        if (named.isEmpty()) {
            return; // No server, or a dead one: PostgreSQL cleans up after itself.
        }
        ProcessHandle process = named.get();
        if (!serves(process, directory)) {
            forget(pidFile, process, directory);
            return;
        }
        LOG.warn("Stopping the database server (process {}) that a killed broker left on {}", process.pid(), directory);
        // Fast stop ends sessions and writes everything down; immediate stop leaves that to recovery. Neither loses a
        // commit.
        if (!stop(process, directory, "INT", FAST_STOP) && !stop(process, directory, "QUIT", IMMEDIATE_STOP)) {
            throw new StartException("The database server left by a killed broker (process " + process.pid()
                    + ") does not stop. Stop it with 'kill -QUIT " + process.pid() + "' and start again.");
        }
    }

    /** The server that runs on {@code directory}. */
    static Optional<ProcessHandle> of(Path directory) {
        return process(directory.resolve("postmaster.pid")).filter(process -> serves(process, directory));
    }

    /** Waits until the server no longer runs; false when it still does after {@code limit}. */
    static boolean awaitGone(ProcessHandle process, Path directory, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        // A process that nobody reaps stays listed for ever, but has no command line any more.
        while (process.isAlive() && serves(process, directory)) {
            if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return true;
    }

    private static Optional<ProcessHandle> process(Path pidFile) {
        try {
            List<String> lines = Files.readAllLines(pidFile, StandardCharsets.UTF_8);
            String pid = lines.isEmpty() ? "" : lines.get(0).strip();
            return pid.matches("\\d{1,10}") ? ProcessHandle.of(Long.parseLong(pid)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // Not there: no server.
        }
    }

    /** Whether the process is a PostgreSQL server on this directory: process ids are used again. */
    private static boolean serves(ProcessHandle process, Path directory) {
        List<String> words;
        try {
            words = List.of(Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                    .split("\0"));
        } catch (IOException e) {
            ProcessHandle.Info info = process.info();
            words = info.commandLine().map(line -> List.of(line.split(" "))).orElse(List.of());
        }
        return !words.isEmpty()
                && words.get(0).endsWith("postgres")
                && words.contains(directory.toAbsolutePath().toString());
    }

    /**
     * PostgreSQL would take the stranger for its own server and refuse to start. Without the file it no longer sees
     * sessions that outlive their server by a moment, so these are waited for here.
     */
    private static void forget(Path pidFile, ProcessHandle stranger, Path directory) {
        LOG.info("Process {} named in {} is not our database server; the file is out of date", stranger.pid(), pidFile);
        long deadline = System.nanoTime() + IMMEDIATE_STOP.toNanos();
        while (isInhabited(directory)) {
            if (System.nanoTime() - deadline > 0) {
                throw new StartException(
                        "Processes still use " + directory + " though their server is gone. Stop them.");
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        try {
            Files.deleteIfExists(pidFile);
        } catch (IOException e) {
            throw new StartException("The file " + pidFile + " is out of date but cannot be deleted. Delete it.", e);
        }
    }

    /** Whether a process works in the directory, as every process of a PostgreSQL server does. */
    private static boolean isInhabited(Path directory) {
        return ProcessHandle.allProcesses().anyMatch(process -> {
            try {
                Path cwd = Path.of("/proc", Long.toString(process.pid()), "cwd");
                return Files.readSymbolicLink(cwd).equals(directory.toAbsolutePath());
            } catch (IOException e) {
                return false; // Gone, or another user's.
            }
        });
    }

    private static boolean stop(ProcessHandle process, Path directory, String signal, Duration limit) {
        try {
            // Through the shell: Java sends only TERM and KILL, and a bare machine may have no kill program.
            new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + process.pid())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new StartException(
                    "The database server left by a killed broker (process " + process.pid()
                            + ") cannot be told to stop. Stop it and start again.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return awaitGone(process, directory, limit);
    }
}
