package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import dev.gpubroker.broker.schedule.DueHandler;
import dev.gpubroker.broker.stored.Ids;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Gives freed own capacity down the line: (priority, time of joining, id). Woken when something is given back, shrinks, lapses
 * or is new. A group is placed whole or not at all; who does not fit keeps its place. Where only a stand-in fits and the owner
 * wants to be asked, the place is held while he is.
 */
public final class Waitlist implements DueHandler {
    public static final String KIND = "waitlist";
    /** The longest line that one pass walks. */
    private static final int LONGEST = 2_000;

    private final ReservationStore reservations;
    private final PlanDesk desk;
    private final Line line;
    private final AlsoWaiting others;
    private final Transition transition;
    private final Supplier<Policy> policy;
    private final InstantSource clock;

    Waitlist(
            ReservationStore reservations,
            PlanDesk desk,
            Line line,
            AlsoWaiting others,
            Transition transition,
            Supplier<Policy> policy,
            InstantSource clock) {
        this.reservations = reservations;
        this.desk = desk;
        this.line = line;
        this.others = others;
        this.transition = transition;
        this.policy = policy;
        this.clock = clock;
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        return Future.all(others.begin(hold), reservations.displaced(), reservations.waiting(LONGEST))
                .compose(all -> {
                    Walk walk = new Walk(all.resultAt(0));
                    return keepForDisplaced(all.resultAt(1), walk)
                            .compose(done -> walk(all.resultAt(2), walk, hold))
                            .compose(done -> walk.others.rest(walk))
                            .map(done -> Optional.empty());
                });
    }

    /** What could not be placed again keeps what it could use. */
    private Future<Void> keepForDisplaced(List<Reservation> displaced, Walk walk) {
        Future<Void> all = Future.succeededFuture();
        for (Reservation r : displaced) {
            all = all.compose(before -> line.waiter(r))
                    .onSuccess(walk.line::staysWaiting)
                    .mapEmpty();
        }
        return all;
    }

    private Future<Void> walk(List<Reservation> waiting, Walk walk, Hold hold) {
        Future<Void> all = Future.succeededFuture();
        for (Reservation r : waiting) {
            all = all.compose(before -> walk.others.before(Line.placeOf(r), walk))
                    .compose(before -> line.waiter(r))
                    .compose(waiter -> turn(waiter, walk, hold));
        }
        return all;
    }

    /** The line as it is walked, with those in it who are no reservations. */
    private final class Walk implements AlsoWaiting.Reservations {
        private final Line.Walk line = new Line.Walk();
        private final AlsoWaiting.Turns others;

        Walk(AlsoWaiting.Turns others) {
            this.others = others;
        }

        boolean isKeptFrom(Line.Waiter waiter) {
            Reservation r = waiter.reservation();
            return line.isKeptFrom(waiter)
                    || waiter.pools().stream().anyMatch(pool -> others.isKept(r.team(), pool, r.window()));
        }

        Future<Void> given(Reservation r, Plan plan) {
            return passed(r.team(), plan.sku(), r.window())
                    .compose(done -> others.passed(r.team(), plan.sku(), r.window()));
        }

        @Override
        public boolean isEmpty() {
            return line.isEmpty();
        }

        @Override
        public boolean isKept(String team, String pool, Window window) {
            return line.isKept(team, pool, window);
        }

        @Override
        public Future<Void> passed(String team, String pool, Window window) {
            return reservations.passed(line.passedBy(team, pool, window));
        }
    }

    private Future<Void> turn(Line.Waiter waiter, Walk walk, Hold hold) {
        Reservation r = waiter.reservation();
        if (waiter.pools().isEmpty()) {
            return Future.succeededFuture();
        }
        if (walk.isKeptFrom(waiter)) {
            walk.line.staysWaiting(waiter);
            return Future.succeededFuture();
        }
        return desk.ownCapacity(r.team(), r.request())
                .compose(planning -> giveInTurn(r, planning, walk, hold))
                .compose(given -> {
                    if (given.isEmpty()) {
                        walk.line.staysWaiting(waiter);
                        return Future.succeededFuture();
                    }
                    return walk.given(r, given.get());
                });
    }

    /**
     * What came free while the line is walked is for those who have had their turn already: the next walk, which is due at
     * once, gives it to the first of them. Whoever is first gets it in any case, so that a busy line moves on.
     */
    private Future<Optional<Plan>> giveInTurn(Reservation r, Planning planning, Walk walk, Hold hold) {
        if (planning.plans().isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        boolean isFirst = walk.line.isEmpty() && walk.others.isEmpty();
        return (isFirst ? Future.succeededFuture(false) : hold.isAskedAgain())
                .compose(again -> again ? Future.succeededFuture(Optional.empty()) : give(r, planning, hold));
    }

    /** The plan whose place was given or is held; empty if there is none for it. */
    private Future<Optional<Plan>> give(Reservation r, Planning planning, Hold hold) {
        Optional<Plan> exact = planning.first(Plan::isExact);
        if (exact.isPresent()) {
            return placed(r, exact.get(), planning, hold);
        }
        Optional<Plan> standIn = planning.first(plan -> mayBeHeld(r, plan));
        return standIn.isPresent() ? held(r, standIn.get(), planning, hold) : Future.succeededFuture(Optional.empty());
    }

    private Future<Optional<Plan>> placed(Reservation r, Plan plan, Planning planning, Hold hold) {
        return transition
                .place(
                        r,
                        hold,
                        plan,
                        planning,
                        (edit, places) -> edit.state(ReservationState.CONFIRMED)
                                .claimed()
                                .proposal(null)
                                .plan(plan)
                                .standIn(null)
                                .nodes(ReservationStep.assigned(places))
                                .next("start", r.window().start()))
                .map(taken -> taken ? Optional.of(plan) : Optional.empty());
    }

    /** Who let a proposal lapse is asked again on the fallback's date, and keeps nobody else waiting until then. */
    private static boolean mayBeHeld(Reservation r, Plan plan) {
        Plan.StandIn standIn = plan.substitution();
        return standIn != null
                && r.state() == ReservationState.QUEUED
                && r.request().substitution().mode() == Substitution.Mode.ASK
                && !r.terms().declined().contains(standIn.to())
                && !r.terms().lapsed().contains(standIn.to());
    }

    /** Nobody else gets the place until the owner has answered, or the proposal has lapsed. */
    private Future<Optional<Plan>> held(Reservation r, Plan plan, Planning planning, Hold hold) {
        Instant now = clock.instant();
        Reservation.Proposal proposal = new BookingDecision(
                        r.request(), Planning.of(plan), policy.get(), now, () -> Ids.next("quo", now))
                .heldPlace(plan);
        return transition
                .hold(r, hold, plan, planning, proposal)
                .map(taken -> taken ? Optional.of(plan) : Optional.empty());
    }
}
