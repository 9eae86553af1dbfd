package dev.gpubroker.broker.lease;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Leases. A method with a connection runs inside the caller's transaction. */
interface LeaseStore {
    Future<Optional<Lease>> read(String id);

    /** Reads and locks the row until the transaction ends. */
    Future<Optional<Lease>> lock(SqlConnection connection, String id);

    Future<Void> insert(SqlConnection connection, Lease lease);

    /** Writes the next version of a locked lease. */
    Future<Void> update(SqlConnection connection, Lease lease);

    /**
     * Notes that the job of a held lease was heard of, without a transaction of its own.
     *
     * @return the lease; empty if it is not held: it is stale, has ended, waits, or is another team's
     */
    Future<Optional<Lease>> beat(String team, String id, Instant now);

    /** Everybody in line, first in line first. */
    Future<List<Lease>> queue(int limit);

    /** How many stand before it, counting those of its team who may use the same GPUs: 1 = first in line. */
    Future<Integer> position(Lease lease);

    /** Whether somebody of the team waits who may use the same GPUs, a reservation included. */
    Future<Boolean> somebodyWaits(SqlConnection connection, LeaseWish wish, Instant now);

    /** Counts one more for each that was let down. */
    Future<Void> passed(Collection<String> ids);

    /** The states of these, now. */
    Future<Map<String, LeaseState>> states(Collection<String> ids);

    /** Newest first. */
    Future<List<Lease>> list(Filter filter);

    /** Active reservations of the team whose owner lets any lease in, the one that ends first first. */
    Future<List<String>> sharedReservations(String team);

    /** State and owner's team of a reservation; empty if there is none. */
    Future<Optional<Parent>> parent(String reservationId);

    /** Whether what it waits for will never be there: the reservation has ended, the pool is gone. */
    Future<Boolean> hasNoTarget(SqlConnection connection, String id);

    /** Those in line of which {@link #hasNoTarget} is true. */
    Future<List<String>> withoutTarget();

    /** Whether there is any lease at all. */
    Future<Boolean> isUsed();

    /** Whether any lease was ever held inside the reservation. */
    Future<Boolean> wasHeldIn(SqlConnection connection, String reservationId);

    /** @param ended whether it can never become active again */
    record Parent(String team, boolean active, boolean ended) {}

    /**
     * @param states empty = all
     * @param reservation only those inside it, or that want it
     * @param pools only leases of these pools; null = of anything
     * @param beforeAt with {@code beforeId}: only what comes after this place in the list
     */
    record Filter(
            String team,
            Set<LeaseState> states,
            @Nullable String reservation,
            @Nullable Set<String> pools,
            @Nullable Instant beforeAt,
            @Nullable String beforeId,
            int limit) {}
}
