package dev.gpubroker.broker.lease;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.broker.allocation.OwnPool;
import org.jspecify.annotations.Nullable;

/**
 * A place where a lease may get its GPUs from.
 *
 * @param id of the reservation or the pool
 * @param pool null for a reservation
 * @param named whether the job asked for this very reservation, and so also takes what is cut short by its end
 */
record LeaseSource(String id, @Nullable OwnPool pool, boolean named) {
    static LeaseSource reservation(String id, boolean named) {
        return new LeaseSource(id, null, named);
    }

    static LeaseSource of(OwnPool pool) {
        return new LeaseSource(pool.id(), pool, true);
    }

    boolean isPool() {
        return pool != null;
    }

    OwnPool ownPool() {
        return requireNonNull(pool, "only asked of pools");
    }
}
