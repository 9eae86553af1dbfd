package dev.gpubroker.broker.allocation;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rectangles of leases: inside a reservation (layer 1), or of a pool's own (layer 0). Methods that take a connection run
 * inside the caller's transaction; the lease's row must be there already, since rectangles refer to it.
 */
public interface LeaseAllocations {
    /**
     * Takes GPUs of an active reservation from {@code now} on: on one of its machines, or on several whole ones. Locks the
     * reservation against shrinking until the transaction ends.
     *
     * @return empty, and nothing is written, if there is no room or it is not active
     */
    Future<Optional<Taken>> takeInside(SqlConnection connection, Inside inside, Wish wish, Instant now);

    /** Takes GPUs of a pool that nobody has booked until the lease's end; turnaround and outages count. */
    Future<Optional<Taken>> takeOfPool(SqlConnection connection, OwnPool pool, Wish wish, Instant now);

    /**
     * Lets a lease whose reservation was extended go on, at most to {@code until}.
     *
     * @return its new end; empty if the reservation ends now or has ended
     */
    Future<Optional<Instant>> extendInside(
            SqlConnection connection, String reservationId, String leaseId, Instant until, Instant now);

    /** Gives back what the lease holds; doing it again changes nothing. */
    Future<Void> release(SqlConnection connection, String leaseId, Instant now);

    /**
     * Held leases that do not fit their reservation as it is now: it ends earlier, has lost GPUs or is not active any more;
     * or it ends later, and the lease was cut short by its end.
     */
    Future<List<String>> misfits();

    /** When the lease's reservation ends; empty if it is not active, or no longer has all the GPUs that the lease holds. */
    Future<Optional<Instant>> coveredUntil(SqlClient client, String leaseId);

    /** The machines of each lease, in the order of their ids, as they are at {@code now}. */
    Future<Map<String, List<Host>>> hosts(SqlClient client, Collection<String> leaseIds, Instant now);

    /** Whether the reservation's machines as they are now could ever hold so many for one lease. */
    Future<Boolean> couldEverInside(String reservationId, int gpus);

    /** @param longestOnly whether only a reservation that lasts for the whole of the lease will do */
    record Inside(String reservationId, boolean longestOnly) {}

    /**
     * @param models which serve, as nodes carry them; empty = any
     * @param until when the lease ends at the latest
     */
    record Wish(String leaseId, int gpus, Set<String> models, Instant until) {
        public Wish {
            models = Set.copyOf(models);
        }
    }

    /** @param until when it ends: as wished, or with the reservation */
    record Taken(List<Place.Part> parts, Instant until) {
        public Taken {
            parts = List.copyOf(parts);
        }
    }

    /**
     * A machine with the GPUs that a lease holds of it.
     *
     * @param address as the pool's owner or the platform gave it; null where nobody did
     * @param readiness whether it answered when its reservation began; null if nobody asked
     * @param hostKey its key as SSH writes it, if it showed one
     * @param gpus ascending
     * @param outage why some of these GPUs are out of order now; null while all are in order
     */
    record Host(
            String name,
            String model,
            @Nullable String address,
            @Nullable Integer port,
            @Nullable String user,
            @Nullable String readiness,
            @Nullable String hostKey,
            List<Integer> gpus,
            @Nullable String outage) {
        public Host {
            gpus = List.copyOf(gpus);
        }
    }
}
