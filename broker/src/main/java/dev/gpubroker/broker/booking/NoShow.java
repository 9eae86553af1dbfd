package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.schedule.DueHandler.Hold;
import dev.gpubroker.broker.schedule.DueHandler.Next;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Gives back what nobody uses, where the policy says so and use can be seen: a reservation that says by its label
 * {@code leases} that jobs use it through leases. Its owner is warned after a third of the time.
 */
final class NoShow {
    /** Of the blocker that warns. */
    static final String WARNING = "no_show";

    private static final String LABEL = "leases";
    private static final int WARNED_AFTER_A = 3;
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    private final Database database;
    private final ReservationStore reservations;
    private final UseSignal use;
    private final Transition transition;
    private final Supplier<Policy> policy;

    NoShow(
            Database database,
            ReservationStore reservations,
            UseSignal use,
            Transition transition,
            Supplier<Policy> policy) {
        this.database = database;
        this.reservations = reservations;
        this.use = use;
        this.transition = transition;
        this.policy = policy;
    }

    /** @param hold of the step of a reservation that runs */
    Future<Optional<Next>> step(Reservation r, Hold hold, Instant now) {
        Optional<Next> atTheEnd = Next.at(r.window().end());
        Duration after = policy.get().noShowAfter();
        if (after.isZero() || !r.labels().containsKey(LABEL)) {
            return isWarned(r)
                    ? transition.write(r, hold, new Why("it counts as used", "视为已使用"), edit -> edit.blockers(others(r)))
                    : Future.succeededFuture(atTheEnd);
        }
        return reservations.runsSince(r.id()).compose(since -> {
            Instant warned = since.plus(after.dividedBy(WARNED_AFTER_A));
            Instant over = since.plus(after);
            if (now.isBefore(warned)) {
                return Future.succeededFuture(
                        Next.at(earliest(warned, r.window().end())));
            }
            return database.inTransaction(connection -> hold.stands(connection)
                            .compose(stands -> stands ? reservations.lock(connection, r.id()) : none())
                            .compose(
                                    locked -> locked.isPresent() && locked.get().version() == r.version()
                                            ? look(connection, r, now, over)
                                            : Future.succeededFuture(false)))
                    .map(changed -> changed ? Next.at(now) : now.isBefore(over) ? soon(r, now, over) : atTheEnd);
        });
    }

    /** A warning goes as soon as it is used. */
    private static Optional<Next> soon(Reservation r, Instant now, Instant over) {
        Instant look = isWarned(r) ? earliest(now.plus(LOOK_AGAIN), over) : over;
        return Next.at(earliest(look, r.window().end()));
    }

    private static Future<Optional<Reservation>> none() {
        return Future.succeededFuture(Optional.empty());
    }

    /** With the row locked, so that no lease is granted between the look and what follows from it. */
    private Future<Boolean> look(SqlConnection connection, Reservation r, Instant now, Instant over) {
        return use.isSeen(connection, r.id()).compose(seen -> {
            if (seen) {
                return isWarned(r)
                        ? save(connection, r, r.edit().blockers(others(r)).at(now), new Why("it is used", "已有使用"))
                        : Future.succeededFuture(false);
            }
            if (!now.isBefore(over)) {
                long minutes = policy.get().noShowAfter().toMinutes();
                Why why = new Why("nobody used it for " + minutes + " minutes", minutes + " 分钟无人使用");
                return transition
                        .giveUp(connection, r, ReservationState.NO_SHOW, Transition.WHO, why, now)
                        .map(Optional::isPresent);
            }
            return isWarned(r)
                    ? Future.succeededFuture(false)
                    : save(connection, r, warned(r, over).at(now), new Why("nobody uses it yet", "尚无人使用"));
        });
    }

    private Future<Boolean> save(SqlConnection connection, Reservation r, Reservation next, Why why) {
        return transition.save(connection, r, next, Transition.WHO, why);
    }

    private static boolean isWarned(Reservation r) {
        return r.blockers().stream().anyMatch(blocker -> blocker.what().equals(WARNING));
    }

    private static List<Reservation.Blocker> others(Reservation r) {
        return r.blockers().stream()
                .filter(blocker -> !blocker.what().equals(WARNING))
                .toList();
    }

    private static Edit warned(Reservation r, Instant over) {
        String at = RequestJson.time(over, r.request().timeZone());
        Reservation.Blocker warning = new Reservation.Blocker(
                WARNING,
                over,
                "no job has leased any of it: it is given back at " + at + " unless one does; or take the label '"
                        + LABEL + "' away",
                "尚无任务租用其中的 GPU：若到 " + at + " 仍无人使用将自动释放；也可去掉标签 '" + LABEL + "'");
        return r.edit()
                .blockers(
                        Stream.concat(r.blockers().stream(), Stream.of(warning)).toList());
    }

    private static Instant earliest(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }
}
