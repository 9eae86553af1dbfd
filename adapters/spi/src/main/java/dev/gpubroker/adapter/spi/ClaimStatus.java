package dev.gpubroker.adapter.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a claim stands.
 *
 * @param phase of the claim as a whole: the least advanced of its machines
 * @param window what was bought, where the platform states it
 * @param detail the platform's own state, word for word; unknown words are kept, never guessed
 */
public record ClaimStatus(Phase phase, @Nullable Window window, List<Machine> machines, String detail) {
    public ClaimStatus {
        machines = List.copyOf(machines);
    }

    public enum Phase {
        /** Accepted, not yet certain. */
        PENDING,
        /** Bought, its window not begun or its machines not started. */
        SECURED,
        /** Machines are coming up. */
        STARTING,
        RUNNING,
        /** Being given back, or ended by the platform and not yet gone. */
        ENDING,
        GONE,
        /** The platform took it on and then did not deliver; something of it may still exist and cost. */
        FAILED,
        /** A state we do not know: not certain, not gone. */
        UNKNOWN
    }

    /**
     * One machine.
     *
     * @param failure why it failed, if it did and the platform says so
     */
    public record Machine(
            String id,
            Phase phase,
            @Nullable Endpoint endpoint,
            @Nullable Reason failure) {}

    /** Where to log in. Passwords never travel here. */
    public record Endpoint(String host, int port, String user) {}
}
