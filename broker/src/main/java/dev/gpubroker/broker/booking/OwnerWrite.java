package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.booking.BookingService.Frame;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.InstantSource;
import java.util.function.Function;

/** Writes one change by an owner: key, rectangles, claims, reservation, event and answer in one transaction, or nothing. */
final class OwnerWrite {
    private final Database database;
    private final ReservationStore reservations;
    private final Transition transition;
    private final DueWork due;
    private final Refusals refusals;
    private final InstantSource clock;

    OwnerWrite(
            Database database,
            ReservationStore reservations,
            Transition transition,
            DueWork due,
            Refusals refusals,
            InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.transition = transition;
        this.due = due;
        this.refusals = refusals;
        this.clock = clock;
    }

    /** @param why for the event */
    record Next(Edit edit, Why why) {}

    /** @param change what else is written, and what the reservation becomes; fails to write nothing at all */
    Future<Reservation> write(Reservation r, String who, Frame frame, Function<SqlConnection, Future<Next>> change) {
        return reservations
                .position(r)
                .compose(position -> database.inTransaction(connection -> frame.before(connection)
                        .compose(locked -> change.apply(connection))
                        .compose(next -> save(connection, r, next, who))
                        .compose(next -> frame.after(connection, next, position).map(next))))
                .recover(fault -> Future.failedFuture(
                        Database.isLostRace(fault)
                                ? refusals.changeRefused(
                                        "Somebody else was changing the same machines; nothing was changed, try again.",
                                        "其他人正在修改同一批机器；预订保持不变，请重试。")
                                : fault));
    }

    /** Only the key and its answer: nothing has changed. */
    Future<Reservation> nothing(Reservation r, Frame frame) {
        return reservations
                .position(r)
                .compose(position -> database.inTransaction(connection -> frame.before(connection)
                        .compose(locked -> frame.after(connection, r, position))
                        .map(r)));
    }

    private Future<Reservation> save(SqlConnection connection, Reservation r, Next next, String who) {
        Reservation after = next.edit().at(clock.instant());
        return transition
                .save(connection, r, after, who, next.why())
                .compose(saved -> saved ? due.poke(connection, ReservationStep.KIND, r.id()) : stale(r.id()))
                .map(after);
    }

    /** With the version that it is at now, since the one that was read is not it any more. */
    private <T> Future<T> stale(String id) {
        return reservations
                .read(id)
                .compose(now ->
                        Future.failedFuture(now.isPresent() ? refusals.stale(now.get()) : refusals.notFound(id)));
    }
}
