package dev.gpubroker.broker.allocation;

import dev.gpubroker.adapter.spi.Window;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of own capacity. Methods that take a connection run inside the caller's transaction, which is to be run with
 * {@code Database.inTransaction}, so that the rare deadlock is tried again.
 */
public interface Allocations {
    /**
     * Where the wanted GPUs would fit over the whole window: the best place of each pool that has one, fewest nodes first,
     * then least left over beside it; empty when nothing fits. Only a look: {@link #place} decides.
     */
    Future<List<Place>> find(Wanted wanted, Window window);

    /** Pools that could ever take it, whatever they hold now, in no particular order. */
    Future<List<PoolView>> eligible(Wanted wanted);

    /**
     * Finds room and takes it, trying the next place when another booking was faster. The reservation's row must be there
     * already, since rectangles refer to it. Locks node rows until the transaction ends.
     *
     * @param seen room that a look found a moment ago, tried before anybody looks again; null looks at once
     * @return what was taken, one place; or an empty list when nothing is left: then nothing is written
     */
    Future<List<Place>> place(
            SqlConnection connection,
            Wanted wanted,
            @Nullable Place seen,
            Window window,
            String reservationId,
            Instant now);

    /**
     * When the wanted GPUs would fit for the length of {@code around}: the earliest such window that starts on the hour and
     * not before {@code around}, then the earliest one after it has ended, and so on; none overlap. Earliest first, at most
     * {@code limit}, maybe empty; each with the pool in which it fits best.
     *
     * @param horizon the last start
     */
    Future<List<FreeWindow>> freeWindows(Wanted wanted, Window around, Instant horizon, int limit);

    /**
     * What is in the way of the window in pools that could ever take it: reservations and outages, each once for every run of
     * GPUs, earliest first, at most 50. One in the way only by turnaround counts too. Only the caller's own team's
     * reservations are named.
     */
    Future<List<Conflict>> conflicts(Wanted wanted, Window window);

    /**
     * Adds the rectangle {@code [from, to)} to every part of the reservation. False and nothing written if one is taken or
     * out of order, if the next booking would be closer than the pool's turnaround, or if the reservation holds nothing.
     *
     * @param from where it ends now
     */
    Future<Boolean> extend(SqlConnection connection, String reservationId, Instant from, Instant to, Instant now);

    /** Cuts what lies after {@code end}; capacity is free again from there. What had not begun by then is given up. */
    Future<Void> truncate(SqlConnection connection, String reservationId, Instant end);

    /**
     * Machines given back: no later start waits for them any more, and what was left of the window is free. Doing it again
     * changes nothing.
     */
    Future<Void> release(SqlConnection connection, String reservationId, Instant now);

    /**
     * Whether an earlier allocation on the reservation's GPUs has not been released yet, one that ends at or before the
     * instant at which it begins.
     */
    Future<Boolean> waitsForAnEarlierOne(String reservationId);

    /** What the reservation holds in pools, one place for each pool; empty before it has any and once it is released. */
    Future<List<Place>> of(String reservationId);

    /**
     * @param models exact ids and families that serve the request, as the catalogue writes them
     * @param gpus in all
     * @param nodes to spread over in equal parts, whatever {@code singleNode} says; null: as that says
     * @param singleNode true: all on one node, also more than 8, so a request that says nothing has it only up to 8. False:
     *     up to 8 in equal parts on as few nodes as possible, more on equal whole nodes
     * @param statesMemoryOrForm then a pool of a family ({@code A100}) does not serve
     * @param pools the only pools allowed, by name; empty = all
     */
    record Wanted(
            String teamId,
            Set<String> models,
            int gpus,
            @Nullable Integer nodes,
            boolean singleNode,
            boolean statesMemoryOrForm,
            Set<String> pools) {
        public Wanted {
            models = Set.copyOf(models);
            pools = Set.copyOf(pools);
        }
    }

    /** @param count GPUs of the pool that are free throughout, at least those wanted */
    record FreeWindow(Window window, String pool, int count) {}

    /**
     * GPUs {@code [firstGpu, firstGpu + gpus)} of a node that are taken.
     *
     * @param reservationId null for an outage, and where it is another team's
     * @param window an outage without an end is in the way until the end of what was asked, at least
     */
    record Conflict(
            @Nullable String reservationId,
            @Nullable String title,
            String node,
            int firstGpu,
            int gpus,
            Window window) {}

    record PoolView(String poolId, String name, String model, int gpusPerNode, int nodes) {}
}
