package dev.gpubroker.broker.booking;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Runs the script of a reservation's end on its machines. Each machine runs it once for a mark, however often it is told. */
public interface EndScripts {
    /** Whether the broker was given a key to log in to machines with. */
    boolean areRun();

    /**
     * Begins the script where it has not begun, and says how it stands; does not wait for its end.
     *
     * @param settled ids of machines that are left out
     */
    Future<List<Look>> look(Reservation r, Script script, Set<String> settled);

    /** Ends the script where it still runs; own machines are reached after their release, too. */
    Future<List<Look>> stop(Reservation r, Script script, Set<String> settled);

    /**
     * What is run.
     *
     * @param mark one run of it: letters, digits, {@code _} and {@code -}
     * @param longest the machine itself ends it after this, in case nobody else does
     */
    record Script(String mark, String text, Duration longest) {}

    /**
     * How it stands on one machine.
     *
     * @param seconds it took, where it has ended
     * @param said its last line on standard error, or why the machine cannot be reached; may be empty
     */
    record Look(String nodeId, String node, State state, int exitCode, long seconds, String said) {}

    /** NONE: it never began there. STOPPED: we ended it. */
    enum State {
        NONE,
        RUNNING,
        ENDED,
        STOPPED,
        UNREACHABLE
    }
}
