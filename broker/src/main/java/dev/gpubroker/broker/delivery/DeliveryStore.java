package dev.gpubroker.broker.delivery;

import dev.gpubroker.broker.delivery.Delivery.State;
import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Deliveries in the ledger. All instants are wall time. */
public interface DeliveryStore {
    /** Adds one for each lane; those that are there already stay as they are. */
    Future<Void> add(Message message, String kind, List<String> lanes, Instant now);

    /** Lanes in which something is due, at most {@code limit}. */
    Future<List<String>> due(Set<String> but, int limit, Instant now);

    /** A delivery in hand, with what is to be delivered. */
    record Taken(Delivery delivery, Message message) {}

    /**
     * Takes what is due in a lane, oldest message first. Each counts as tried from then on, so that a broker that dies leaves
     * a delivery which comes again at {@code heldUntil}.
     */
    Future<List<Taken>> take(String lane, int limit, Instant now, Instant heldUntil);

    /**
     * Writes what came of a try, unless the delivery was taken again meanwhile.
     *
     * @param nextAt null ends it
     */
    Future<Void> settle(Delivery tried, State state, int step, @Nullable Instant nextAt, Outcome outcome, Instant now);

    /** Whether anything was delivered in a lane since then. */
    Future<Boolean> arrivedSince(String lane, Instant since);

    /** Lets nothing of what waits in a lane leave before then. */
    Future<Void> postpone(String lane, Instant until);

    /** Ends everything that waits in a lane. */
    Future<Void> fail(SqlConnection connection, String lane, String why, Instant now);

    /** Forgets everything of a lane. */
    Future<Void> delete(SqlConnection connection, String lane);

    /** Puts a delivery at the begin of the schedule; empty if the lane has no such delivery. */
    Future<Optional<Delivery>> again(SqlConnection connection, String lane, String id, Instant now);

    /**
     * Newest first.
     *
     * @param before where the page before ended; null for the first
     */
    Future<List<Delivery>> list(
            String lane, @Nullable State state, @Nullable Instant before, @Nullable String beforeId, int limit);

    /** Deletes what ended before, and messages that nobody will ask for any more. */
    Future<Void> clean(Instant before);
}
