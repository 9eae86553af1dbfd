package dev.gpubroker.verification.simulation;

import java.util.List;
import java.util.Set;

/**
 * A bug put into the broker's source, to see that the simulation finds it.
 *
 * @param rules of which one breaks by it; that another one breaks proves nothing
 * @param seed known to find it, and {@code steps} enough for it
 * @param often actions that make it likely
 */
record Plant(
        String name,
        String what,
        Set<String> rules,
        List<Edit> edits,
        long seed,
        int steps,
        Set<String> platforms,
        Set<String> often) {
    /** Seeds, from its own on, within which it is found: what the broker's threads make of one seed is not always the same. */
    static final int TRIES = 3;

    /**
     * @param file below {@code dev/gpubroker/broker}
     * @param old stands there exactly once, or the plant has rotted
     */
    record Edit(String file, String old, String now) {}
}
