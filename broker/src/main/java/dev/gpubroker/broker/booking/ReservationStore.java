package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.Window;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reservations and their events. A method with a connection runs inside the caller's transaction. */
public interface ReservationStore {
    Future<Optional<Reservation>> read(String id);

    /** Reads and locks the row until the transaction ends. */
    Future<Optional<Reservation>> lock(SqlConnection connection, String id);

    Future<Void> insert(SqlConnection connection, Reservation reservation, String who, Why why);

    /**
     * Writes the next version over the one before it, with an event that says who and why.
     *
     * @return false, and nothing is written, if somebody else was faster
     */
    Future<Boolean> update(SqlConnection connection, Reservation before, Reservation after, String who, Why why);

    /**
     * Appends an event of the broker's that changes nothing of the reservation, unless one of that kind with the same
     * {@code which} is there. The caller has the row locked.
     *
     * @param more what the event shows beside {@code which}
     * @return false if it was there
     */
    Future<Boolean> noteOnce(
            SqlConnection connection,
            Reservation r,
            String what,
            Map<String, Object> which,
            Map<String, Object> more,
            Why why,
            Instant now);

    /** What the events of that kind show that say {@code which}, oldest first. */
    Future<List<JsonNode>> noted(String reservationId, String what, Map<String, Object> which);

    /** Newest first, by creation and id. */
    Future<List<Reservation>> list(Filter filter);

    Future<List<Event>> events(String reservationId, long after, int limit);

    /** How many wait before it for the same model: 1 = first in line. */
    Future<Integer> position(Reservation reservation);

    /** Those who wait, first in line first. */
    Future<List<Reservation>> waiting(int limit);

    /**
     * Those of a team who wait and whose window overlaps this one, first in line first; at most 200. Before them those who
     * were promised a place that an outage took.
     */
    Future<List<Reservation>> waitingIn(String team, Window window);

    /** Those with a place in an own pool that an outage took before they began. */
    Future<List<Reservation>> displaced();

    /** When it became active. */
    Future<Instant> runsSince(String id);

    /** How often somebody behind was let by. */
    Future<Integer> passes(String id);

    /** Counts one more for each of them. */
    Future<Void> passed(List<String> ids);

    /** How many there are in each state. */
    Future<Map<ReservationState, Long>> counts(@Nullable String team);

    /**
     * @param states empty = all
     * @param from with {@code to}: only what overlaps that span; null = open
     * @param beforeAt with {@code beforeId}: only what comes after this place in the list; null = from the first
     */
    record Filter(
            @Nullable String team,
            Set<ReservationState> states,
            @Nullable String model,
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable Instant beforeAt,
            @Nullable String beforeId,
            int limit) {
        public static Filter overlapping(Instant from, Instant to, int limit) {
            return new Filter(null, Set.of(), null, from, to, null, null, limit);
        }
    }

    /**
     * @param before, after JSON objects of what changed
     * @param whyZh null for events from before both languages were kept
     */
    record Event(
            long id,
            String reservationId,
            Instant at,
            String who,
            String what,
            @Nullable String before,
            @Nullable String after,
            @Nullable String why,
            @Nullable String whyZh) {}
}
