package dev.gpubroker.broker.allocation;

import dev.gpubroker.adapter.spi.Window;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** The ledger of own capacity. Methods that take a connection run inside the caller's transaction. */
public interface Allocations {
    /**
     * Every place where the wanted GPUs would fit over the window, best fit first, at most one for each pool and shape;
     * empty when nothing fits. Only a look: {@link #place} decides.
     */
    Future<List<Place>> find(Wanted wanted, Window window);

    /** Pools that could ever take it, whatever they hold now. */
    Future<List<PoolView>> eligible(Wanted wanted);

    /**
     * Finds room and takes it, trying the next place when another booking was faster.
     *
     * @return what was taken, or an empty list when nothing is left; then nothing is written
     */
    Future<List<Place>> place(
            SqlConnection connection, Wanted wanted, Window window, String reservationId, Instant now);

    /** When the wanted GPUs fit for the window's length: the earliest free windows up to the horizon, at most {@code limit}. */
    Future<List<Window>> freeWindows(Wanted wanted, Window around, Instant horizon, int limit);

    /** The reservations' spans that are in the way of the window, without naming whose they are. */
    Future<List<Window>> conflicts(Wanted wanted, Window window);

    /** Adds the rectangle {@code [from, to)} to every place of the reservation; false and nothing written if one is taken. */
    Future<Boolean> extend(SqlConnection connection, String reservationId, Instant from, Instant to, Instant now);

    /** Cuts what lies after {@code end}; capacity is free again from there. */
    Future<Void> truncate(SqlConnection connection, String reservationId, Instant end);

    /** Machines given back: no later start waits for them any more. */
    Future<Void> release(SqlConnection connection, String reservationId, Instant now);

    /** Whether an earlier allocation on the reservation's nodes has not been released yet. */
    Future<Boolean> waitsForAnEarlierOne(String reservationId);

    Future<List<Place>> of(String reservationId);

    /**
     * @param models exact ids and families that serve the request
     * @param gpus in all
     * @param nodes to spread over; null: up to 8 on one node, more on equal whole nodes
     * @param statesMemoryOrForm then a pool of a family ({@code A100}) does not serve
     * @param pools the only pools allowed, by name; empty = all
     */
    record Wanted(
            String teamId,
            Set<String> models,
            int gpus,
            @org.jspecify.annotations.Nullable Integer nodes,
            boolean singleNode,
            boolean statesMemoryOrForm,
            Set<String> pools) {
        public Wanted {
            models = Set.copyOf(models);
            pools = Set.copyOf(pools);
        }
    }

    record PoolView(String poolId, String name, String model, int gpusPerNode, int nodes) {}
}
