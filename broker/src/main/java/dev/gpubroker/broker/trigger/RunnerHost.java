package dev.gpubroker.broker.trigger;

import io.vertx.core.Future;

/** Runs commands on machines of reservations. */
@FunctionalInterface
public interface RunnerHost {
    /**
     * Runs a shell script on the first machine of a reservation and waits for its end.
     *
     * @param input for its standard input; a secret, so it must not become an argument, a file or a log line
     * @return fails, with a message that the trigger's owner may read, if the script could not be run or ended with an error
     */
    Future<Void> run(String team, String reservation, String script, String input);
}
