package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.claim.MoneyGuard;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.task.Task;
import dev.gpubroker.broker.task.TaskKind;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.InstantSource;
import java.util.List;

/** A person says whether one reservation may be bought on an account whose purchases are set to {@code approve}. */
final class PurchaseApproval implements TaskKind {
    private final ReservationStore reservations;
    private final Transition transition;
    private final DueWork due;
    private final InstantSource clock;

    PurchaseApproval(ReservationStore reservations, Transition transition, DueWork due, InstantSource clock) {
        this.reservations = reservations;
        this.transition = transition;
        this.due = due;
        this.clock = clock;
    }

    @Override
    public String name() {
        return MoneyGuard.APPROVAL;
    }

    @Override
    public List<Choice> choices() {
        return List.of(
                new Choice(MoneyGuard.APPROVED, "it may be bought, up to the amount named", "同意购买，不超过所列金额", false),
                new Choice("refuse", "it is not bought; the reservation is cancelled", "不同意；取消该预订", false));
    }

    @Override
    public Future<Void> answered(SqlConnection connection, Task task, String answer, String who) {
        return reservations.lock(connection, task.subject()).compose(found -> {
            if (found.isEmpty() || found.get().state().isEnded()) {
                return Future.succeededFuture();
            }
            Reservation r = found.get();
            Future<?> decided = answer.equals(MoneyGuard.APPROVED)
                    ? approve(connection, r, who)
                    : transition.giveUp(
                            connection,
                            r,
                            ReservationState.CANCELLED,
                            who,
                            new Why("its purchase was not approved", "购买未获批准"),
                            clock.instant());
            return decided.compose(done -> due.poke(connection, ReservationStep.KIND, r.id()))
                    .compose(done -> due.poke(connection, Checks.KIND, r.id()));
        });
    }

    /** What was held back for want of consent is ordered at once. */
    private Future<?> approve(SqlConnection connection, Reservation r, String who) {
        boolean late = r.state() == ReservationState.QUEUED
                && r.attempts() > 0
                && r.next() != null
                && r.next().what().equals("order");
        return late
                ? transition.save(
                        connection,
                        r,
                        r.edit().next("order", clock.instant()).at(clock.instant()),
                        who,
                        new Why("its purchase was approved", "购买已获批准"))
                : Future.succeededFuture();
    }
}
