package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** A command that talks to a broker; what it throws is shown and becomes its exit code. */
abstract class ClientCommand implements Callable<Integer> {
    private final Supplier<Session> sessions;

    ClientCommand(Supplier<Session> sessions) {
        this.sessions = sessions;
    }

    @Override
    public final Integer call() throws ApiException {
        return run(sessions.get());
    }

    /** Does it, and gives the exit code. */
    abstract int run(Session session) throws ApiException;
}
