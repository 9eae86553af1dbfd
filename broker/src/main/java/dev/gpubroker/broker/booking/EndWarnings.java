package dev.gpubroker.broker.booking;

import static dev.gpubroker.broker.booking.PlanJson.JSON;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.schedule.DueHandler;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tells the owner that a reservation ends soon, what more time would cost and what becomes of the data. A warning whose time
 * has passed is dropped, and none is given twice for one end.
 */
final class EndWarnings implements DueHandler {
    static final String KIND = "ends_soon";

    /** How long before the end, earliest first; only those of a window that is longer. */
    private static final List<Duration> BEFORE =
            List.of(Duration.ofHours(24), Duration.ofHours(2), Duration.ofMinutes(30));

    /** A wake-up may be so late; what is later says something that is not true any more. */
    private static final Duration LATE = Duration.ofMinutes(5);

    private final Database database;
    private final ReservationStore reservations;
    private final Extensions extensions;
    private final Transition transition;
    private final InstantSource clock;

    EndWarnings(
            Database database,
            ReservationStore reservations,
            Extensions extensions,
            Transition transition,
            InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.extensions = extensions;
        this.transition = transition;
        this.clock = clock;
    }

    /** The first warning that is not over at {@code from}. */
    static Optional<Instant> first(Window window, Instant from) {
        return BEFORE.stream()
                .filter(before -> window.length().compareTo(before) > 0)
                .map(before -> window.end().minus(before))
                .filter(at -> !at.isBefore(from))
                .findFirst();
    }

    /** The warning that is to be given at that moment. */
    private static Optional<Duration> dueAt(Window window, Instant now) {
        return BEFORE.stream()
                .filter(before -> window.length().compareTo(before) > 0)
                .filter(before -> !now.isBefore(window.end().minus(before)))
                .filter(before -> now.isBefore(window.end().minus(before).plus(LATE)))
                .findFirst();
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        return reservations
                .read(hold.item().subject())
                .compose(found -> found.filter(EndWarnings::runs)
                        .map(r -> look(r, hold))
                        .orElseGet(() -> Future.succeededFuture(Optional.empty())));
    }

    private static boolean runs(Reservation r) {
        return r.state() == ReservationState.ACTIVE;
    }

    private Future<Optional<Next>> look(Reservation r, Hold hold) {
        Instant now = clock.instant();
        Optional<Next> later = first(r.window(), now.plusNanos(1)).map(at -> new Next(at, false));
        Optional<Duration> due = dueAt(r.window(), now);
        return due.isEmpty()
                ? Future.succeededFuture(later)
                : extensions
                        .of(r)
                        .compose(extension -> tell(r, due.get(), extension, hold))
                        .map(later);
    }

    /** With the row locked: whoever moves the end meanwhile is told by another warning. */
    private Future<Void> tell(Reservation r, Duration before, Extension extension, Hold hold) {
        return database.inTransaction(connection -> hold.stands(connection)
                .compose(stands -> stands
                        ? reservations.lock(connection, r.id())
                        : Future.succeededFuture(Optional.<Reservation>empty()))
                .compose(locked -> locked.filter(EndWarnings::runs)
                        .filter(now -> now.window().end().equals(r.window().end()))
                        .map(now -> tell(connection, now, before, extension))
                        .orElseGet(Future::succeededFuture)));
    }

    private Future<Void> tell(SqlConnection connection, Reservation r, Duration before, Extension extension) {
        Map<String, Object> which = Map.of("end", r.window().end().toString(), "before", before.toString());
        ObjectNode ending = JSON.objectNode();
        ending.put("end", RequestJson.time(r.window().end(), r.request().timeZone()));
        ending.put("before", before.toString());
        ending.set("extension", extension.json(r.request().timeZone()));
        Why why = why(r, before, extension);
        Instant now = clock.instant();
        return reservations
                .noteOnce(connection, r, KIND, which, Map.of("extension", ending.get("extension")), why, now)
                .compose(noted -> noted
                        ? transition.tell(connection, r, "reservation." + KIND, ending, why, now)
                        : Future.succeededFuture());
    }

    private static Why why(Reservation r, Duration before, Extension extension) {
        String at = RequestJson.time(r.window().end(), r.request().timeZone());
        Why more = extension.inWords(r.request().timeZone());
        Why ends = new Why(
                        "it ends in " + Spans.english(before) + ", at " + at,
                        "将在 " + Spans.chinese(before) + "后结束，即 " + at)
                .and(more.english(), more.chinese());
        if (r.plan() == null) {
            return ends;
        }
        Why data = DataAtEnd.of(r.plan());
        return ends.and(data.english(), data.chinese());
    }
}
