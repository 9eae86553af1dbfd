package dev.gpubroker.broker.allocation;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Conflict;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes of what a reservation holds in own pools. Methods that take a connection run inside the caller's transaction and
 * write nothing when they cannot do all of it.
 */
public interface AllocationChanges {
    /** What the reservation holds, as its transaction sees it: one place for each pool. */
    Future<List<Place>> of(SqlConnection connection, String reservationId);

    /** What stands in the way of keeping the very same GPUs over {@code added}, which begins where they are held until. */
    Future<Ahead> ahead(String reservationId, Window added);

    /**
     * Gives back everything it holds and takes a place for the wish over the window instead.
     *
     * @return where it is now; empty when there is no room: then it holds what it held
     */
    Future<List<Place>> move(SqlConnection connection, Wanted wanted, Window window, String reservationId, Instant now);

    /**
     * Adds or gives up GPUs so that it holds as many as the wish says, and keeps the others where they are.
     *
     * @param window from when on it has the new number, to its end
     * @return false when that shape cannot be reached from what it holds
     */
    Future<Boolean> resize(SqlConnection connection, Wanted wanted, Window window, String reservationId, Instant now);

    /** Whether an earlier booking on its GPUs has not been released, as the transaction sees it. */
    Future<Boolean> waitsForAnEarlierOne(SqlConnection connection, String reservationId);

    /**
     * @param freeUntil how long all of its GPUs stay free, turnaround and outages kept; null without a bound
     * @param conflicts what is in the way, earliest first; others' reservations are not named
     */
    record Ahead(@Nullable Instant freeUntil, List<Conflict> conflicts) {
        public Ahead {
            conflicts = List.copyOf(conflicts);
        }
    }
}
