package dev.gpubroker.broker.trigger;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** Machines on which runners can be put. What fails has a message that the trigger's owner may read. */
public interface RunnerHost {
    /** The first machine of an active reservation that has an address; fails if there is none. */
    Future<Place> of(String team, String reservation);

    /** Runs a shell script on an own machine, whoever holds it now, and waits for its end. */
    Future<Void> runOn(String node, String script);

    /** A machine that a reservation holds. */
    interface Place {
        /** The id of an own machine, which is still there when the reservation has ended; null for a bought one. */
        @Nullable
        String ownNode();

        /**
         * Runs a shell script with the variables that limit it to the reservation's GPUs, and waits for its end.
         *
         * @param input for its standard input; a secret, so it must not become an argument, a file or a log line
         */
        Future<Void> run(String script, String input);
    }
}
