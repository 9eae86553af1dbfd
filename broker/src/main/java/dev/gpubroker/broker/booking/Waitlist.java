package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.schedule.DueHandler;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Offers freed own capacity down the line: (priority, time of joining, id). Woken when something is given back, shrinks,
 * or is new. A group is placed whole or not at all; who does not fit keeps its place.
 */
public final class Waitlist implements DueHandler {
    public static final String KIND = "waitlist";
    /** The longest line that one pass walks. */
    private static final int LONGEST = 2_000;

    private final ReservationStore reservations;
    private final PlanDesk desk;
    private final Transition transition;

    Waitlist(ReservationStore reservations, PlanDesk desk, Transition transition) {
        this.reservations = reservations;
        this.desk = desk;
        this.transition = transition;
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        return reservations.waiting(LONGEST).compose(line -> {
            Future<Boolean> walk = Future.succeededFuture(false);
            for (Reservation r : line) {
                walk = walk.compose(before -> place(r, hold));
            }
            return walk.map(done -> Optional.empty());
        });
    }

    private Future<Boolean> place(Reservation r, Hold hold) {
        return desk.ownCapacity(r.team(), r.request()).compose(planning -> {
            Optional<Plan> plan = planning.first(Plan::isExact);
            return plan.isEmpty()
                    ? Future.succeededFuture(false)
                    : transition.place(
                            r,
                            hold,
                            PlanDesk.wanted(r.team(), r.request(), plan.get()),
                            (edit, places) ->
                                    edit.plan(plan.get()).standIn(null).nodes(ReservationStep.assigned(places)));
        });
    }
}
