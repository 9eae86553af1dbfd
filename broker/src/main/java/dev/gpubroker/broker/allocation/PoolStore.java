package dev.gpubroker.broker.allocation;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Keeps pools. Methods that take a connection run inside the caller's transaction. */
public interface PoolStore {
    /** The team's pools by name, each with its nodes. */
    Future<List<OwnPool>> list(String teamId);

    /**
     * Empty if it does not exist or is another team's.
     *
     * @param named its id, or its name
     */
    Future<Optional<OwnPool>> read(String teamId, String named);

    /** Writes pool and nodes; or nothing, and tells which name of a pool of that team people would take for this one. */
    Future<Optional<String>> insert(SqlConnection connection, OwnPool pool);

    /** Keeps everybody else from placing in the pool until the transaction ends; false if the team has no such pool. */
    Future<Boolean> lock(SqlConnection connection, String teamId, String poolId);

    /** What is booked in it and has not been given back, earliest first, at most {@code limit}. */
    Future<List<InTheWay>> booked(SqlConnection connection, String poolId, int limit);

    /** Removes a locked pool with its nodes, and what is remembered of past bookings of them. */
    Future<Void> delete(SqlConnection connection, String poolId);

    /**
     * A booking of GPUs {@code [firstGpu, firstGpu + gpus)} of a node.
     *
     * @param reservationId null for a lease
     * @param title null if the reservation has none
     */
    record InTheWay(
            @Nullable String reservationId,
            @Nullable String title,
            String node,
            int firstGpu,
            int gpus,
            Instant start,
            Instant end) {}
}
