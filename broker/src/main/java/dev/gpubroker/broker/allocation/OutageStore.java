package dev.gpubroker.broker.allocation;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Keeps outages and their rectangles. Methods that take a connection run inside the caller's transaction. */
public interface OutageStore {
    /** Outages of a pool's nodes that have not ended, and with {@code since} those that ended after it; earliest first. */
    Future<List<Outage>> list(String poolId, Instant now, @Nullable Instant since);

    /** Locks its node as well; empty if the pool has no such outage. */
    Future<Optional<Outage>> lock(SqlConnection connection, String poolId, String outageId);

    /** Keeps everybody else from placing on the node until the transaction ends. */
    Future<Void> lockNode(SqlConnection connection, String nodeId);

    /** Writes it with its rectangles; false and nothing written if a GPU of it is in another outage at the same time. */
    Future<Boolean> insert(SqlConnection connection, Outage outage);

    /** From {@code now} on its GPUs can be booked again. */
    Future<Void> end(SqlConnection connection, String outageId, Instant now);

    /** Reservations that hold GPUs of the outage while it lasts and have not been given back, in the order of their ids. */
    Future<List<String>> reservationsOn(SqlConnection connection, String outageId);

    /** Outages that touch what the reservation still has before it, from {@code now} on; the earliest first. */
    Future<List<Hit>> hits(SqlConnection connection, String reservationId, Instant now);

    /** @param end null while nobody knows */
    record Hit(
            String outageId,
            String node,
            String reason,
            Instant start,
            @Nullable Instant end) {}
}
