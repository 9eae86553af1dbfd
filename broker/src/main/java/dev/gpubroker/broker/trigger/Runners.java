package dev.gpubroker.broker.trigger;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runners that were put on machines and may still be there. */
interface Runners {
    /** @param node where the runner has to be ended by us; null where the machine goes as well */
    record Put(
            String run,
            String trigger,
            String team,
            String reservation,
            @Nullable String node) {}

    /** Written before anything is registered or started; doing it again changes nothing but the machine. */
    Future<Void> put(Put runner, Instant now);

    /** Of a reservation, those that have not been ended. */
    Future<List<Put>> of(String team, String reservation);

    /** Empty if it has been ended. */
    Future<Optional<Put>> read(String run);

    Future<Void> ended(String run, Instant now);
}
