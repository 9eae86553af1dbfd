package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.claim.ClaimStep;
import dev.gpubroker.broker.claim.ClaimStore;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.outbox.Outbox;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.schedule.DueHandler.Hold;
import dev.gpubroker.broker.schedule.DueHandler.Next;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Writes the next version of a reservation with everything that belongs to it, in one transaction: its event, what leaves
 * after commit, its claims and its rectangles.
 */
final class Transition {
    static final String WHO = "broker";

    private final Database database;
    private final ReservationStore reservations;
    private final ClaimStore claims;
    private final Allocations allocations;
    private final DueWork due;
    private final Outbox outbox;
    private final ReservationJson json;
    private final InstantSource clock;

    Transition(
            Database database,
            ReservationStore reservations,
            ClaimStore claims,
            Allocations allocations,
            DueWork due,
            Outbox outbox,
            ReservationJson json,
            InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.claims = claims;
        this.allocations = allocations;
        this.due = due;
        this.outbox = outbox;
        this.json = json;
        this.clock = clock;
    }

    /** More to do in the transaction that writes the reservation. */
    @FunctionalInterface
    interface Also {
        Future<Void> in(SqlConnection connection);
    }

    /** Writes the change if nobody has taken the work over or changed the reservation; looks again at once in any case. */
    Future<Optional<Next>> write(Reservation r, Hold hold, Why why, UnaryOperator<Edit> change) {
        return write(r, hold, why, change, connection -> Future.succeededFuture());
    }

    Future<Optional<Next>> write(Reservation r, Hold hold, Why why, UnaryOperator<Edit> change, Also also) {
        Instant now = clock.instant();
        Reservation next = change.apply(r.edit()).at(now);
        return database.inTransaction(connection -> hold.stands(connection)
                        .compose(stands -> stands
                                ? save(connection, r, next, WHO, why)
                                        .compose(saved -> saved ? also.in(connection) : nothing())
                                : nothing()))
                .map(done -> next.state().isEnded() ? Optional.empty() : Next.at(now));
    }

    private static Future<Void> nothing() {
        return Future.succeededFuture();
    }

    /** Inside a transaction of the caller's: the row, its event, what leaves after commit. */
    Future<Boolean> save(SqlConnection connection, Reservation before, Reservation after, String who, Why why) {
        return reservations.update(connection, before, after, who, why).compose(saved -> {
            if (!saved) {
                return Future.succeededFuture(false);
            }
            Future<Void> freed = after.state().isEnded() || frees(before, after)
                    ? allocations
                            .release(connection, after.id(), after.updatedAt())
                            .compose(done -> due.poke(connection, "waitlist", "all"))
                    : nothing();
            return freed.compose(done -> concernsLeases(before, after)
                            ? due.poke(connection, AlsoWaiting.INSIDE, AlsoWaiting.ALL)
                            : nothing())
                    .compose(done -> endMoved(before, after) ? EndWork.schedule(due, connection, after) : nothing())
                    .compose(done ->
                            before.state() == ReservationState.ACTIVE && after.state() != ReservationState.ACTIVE
                                    ? EndWork.over(due, connection, after)
                                    : nothing())
                    .compose(done -> announce(connection, before, after, why))
                    .map(true);
        });
    }

    Future<Void> announce(SqlConnection connection, @Nullable Reservation before, Reservation after, Why why) {
        Announcement news = Announcement.of(before, after, why, json.news(after));
        return outbox.add(connection, after.team(), news.topic(), news, after.updatedAt());
    }

    /** News of a reservation of which nothing has changed. */
    Future<Void> tell(SqlConnection connection, Reservation r, String topic, JsonNode ending, Why why, Instant now) {
        Announcement news = Announcement.ofEnding(r, topic, ending, why, json.news(r));
        return outbox.add(connection, r.team(), topic, news, now);
    }

    /**
     * Takes a place in an own pool and writes what {@code change} says, in one transaction. A place that was held for it
     * before is given back first.
     *
     * @param planning with the plan, of a moment ago
     * @return false, and nothing is written, when the place is gone or somebody else was faster
     */
    Future<Boolean> place(
            Reservation r, Hold hold, Plan plan, Planning planning, BiFunction<Edit, List<Place>, Edit> change) {
        Allocations.Wanted wanted = PlanDesk.wantedInPool(r.team(), r.request(), plan);
        Place seen = planning.placeOf(plan).orElse(null);
        Window window = plan.serving(r.window());
        Instant now = clock.instant();
        return database.inTransaction(connection -> hold.stands(connection)
                        .compose(stands -> stands
                                ? place(connection, r, wanted, seen, window, change, now)
                                : Future.succeededFuture(false)))
                .recover(fault ->
                        fault instanceof Overtaken ? Future.succeededFuture(false) : Future.failedFuture(fault));
    }

    /** Takes a place that nobody else gets until the owner has answered, or the proposal has lapsed. */
    Future<Boolean> hold(Reservation r, Hold hold, Plan plan, Planning planning, Reservation.Proposal proposal) {
        return place(
                r,
                hold,
                plan,
                planning,
                (edit, places) -> edit.state(ReservationState.OFFERED)
                        .proposal(proposal)
                        .nodes(ReservationStep.assigned(places))
                        .next("accept_or_decline", proposal.expiresAt()));
    }

    private Future<Boolean> place(
            SqlConnection connection,
            Reservation r,
            Allocations.Wanted wanted,
            @Nullable Place seen,
            Window window,
            BiFunction<Edit, List<Place>, Edit> change,
            Instant now) {
        Future<Void> held = holdsAPlace(r) ? allocations.release(connection, r.id(), now) : nothing();
        return held.compose(done -> allocations.place(connection, wanted, seen, window, r.id(), now))
                .compose(places -> places.isEmpty()
                        ? Future.failedFuture(new Overtaken())
                        : placed(connection, r, change, places, now));
    }

    private Future<Boolean> placed(
            SqlConnection connection,
            Reservation r,
            BiFunction<Edit, List<Place>, Edit> change,
            List<Place> places,
            Instant now) {
        Reservation next = change.apply(r.edit(), places).at(now);
        return save(connection, r, next, WHO, placeIn(places.get(0).poolName()))
                .compose(saved -> saved
                        ? due.poke(connection, ReservationStep.KIND, r.id()).map(true)
                        : Future.failedFuture(new Overtaken()));
    }

    private static Why placeIn(String pool) {
        return new Why("a place in pool " + pool, "已分配到资源池 " + pool);
    }

    /** Rolls back what belongs to a step of a reservation that had changed meanwhile: rectangles taken, claims given up. */
    private static final class Overtaken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Overtaken() {
            super("the reservation changed meanwhile", null, false, false);
        }
    }

    /**
     * Own nodes are given back when releasing begins: there is nothing on them that a platform would have to confirm. So is a
     * place that was held for an answer, when the answer was no or did not come.
     */
    private static boolean frees(Reservation before, Reservation after) {
        boolean turnedDown = holdsAPlace(before) && after.state() == ReservationState.QUEUED;
        return turnedDown || (before.state() != after.state() && after.state() == ReservationState.RELEASING);
    }

    /** What runs ends at another instant than was known. */
    private static boolean endMoved(Reservation before, Reservation after) {
        return after.state() == ReservationState.ACTIVE
                && (before.state() != ReservationState.ACTIVE
                        || !before.window().end().equals(after.window().end()));
    }

    /** Leases are granted in what is active, and end with it. */
    private static boolean concernsLeases(Reservation before, Reservation after) {
        boolean wasActive = before.state() == ReservationState.ACTIVE;
        boolean isActive = after.state() == ReservationState.ACTIVE;
        return wasActive != isActive
                || (before.state() != after.state() && after.state().isEnded())
                || (isActive
                        && !(before.window().equals(after.window())
                                && before.nodes().equals(after.nodes())
                                && before.labels().equals(after.labels())));
    }

    static boolean holdsAPlace(Reservation r) {
        return r.proposal() != null && r.proposal().kind().equals(BookingDecision.HELD_PLACE);
    }

    /** Ends as {@code ending}: at once if nothing was claimed, else when everything is given back. */
    Future<Optional<Next>> giveUp(Reservation r, Hold hold, ReservationState ending, Why why) {
        Instant now = clock.instant();
        return database.inTransaction(connection -> hold.stands(connection)
                        .compose(stands -> stands
                                ? giveUp(connection, r, ending, WHO, why, now)
                                        .compose(next -> next.isPresent()
                                                ? Future.succeededFuture(next)
                                                : Future.failedFuture(new Overtaken()))
                                : Future.succeededFuture(Optional.<Reservation>empty())))
                .recover(fault -> fault instanceof Overtaken
                        ? Future.succeededFuture(Optional.empty())
                        : Future.failedFuture(fault))
                .map(done -> done.map(next -> next.state().isEnded()).orElse(false) ? Optional.empty() : Next.at(now));
    }

    /** Inside a transaction of the caller's, who must roll it back when it is empty: somebody else was faster. */
    Future<Optional<Reservation>> giveUp(
            SqlConnection connection, Reservation r, ReservationState ending, String who, Why why, Instant now) {
        return claims.unwant(connection, r.id()).compose(open -> {
            boolean nothingTaken = open.isEmpty();
            Reservation next = nothingTaken && mayEndAtOnce(r, ending)
                    ? r.edit().state(ending).at(now)
                    : r.edit().releasing(ending).next("release", now).at(now);
            return save(connection, r, next, who, why)
                    .compose(saved ->
                            pokeAll(connection, open).map(done -> saved ? Optional.of(next) : Optional.empty()));
        });
    }

    private static boolean mayEndAtOnce(Reservation r, ReservationState ending) {
        return r.state().mayBecome(ending);
    }

    /** Something beside the reservation's row, if nobody has taken the work over. */
    Future<Void> alone(Hold hold, Also also) {
        return database.inTransaction(connection ->
                        hold.stands(connection).compose(stands -> stands ? also.in(connection) : nothing()))
                .onSuccess(done -> due.lookNow());
    }

    /** Gives back what the reservation holds, and leaves its state as it is. */
    Future<Void> unwant(Reservation r, Hold hold) {
        return database.inTransaction(connection -> hold.stands(connection)
                        .compose(stands -> stands
                                ? claims.unwant(connection, r.id()).compose(open -> pokeAll(connection, open))
                                : nothing()))
                .onSuccess(done -> due.lookNow());
    }

    private Future<Void> pokeAll(SqlConnection connection, List<Claim> open) {
        Future<Void> all = nothing();
        for (Claim claim : open) {
            all = all.compose(
                    done -> due.poke(connection, ClaimStep.KIND, claim.key().text()));
        }
        return all;
    }
}
