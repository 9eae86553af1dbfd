package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.booking.BookingService.Frame;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.stored.Ids;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Nothing is bought yet: the wish is planned afresh, as if it were booked now, and keeps its place in line. Its price is
 * agreed to afresh too, so caps of what it was do not bind what it is.
 */
final class QueuedChange {
    private final PlanDesk desk;
    private final Caps caps;
    private final OwnerWrite writes;
    private final Refusals refusals;
    private final Supplier<Policy> policy;

    QueuedChange(PlanDesk desk, Caps caps, OwnerWrite writes, Refusals refusals, Supplier<Policy> policy) {
        this.desk = desk;
        this.caps = caps;
        this.writes = writes;
        this.refusals = refusals;
        this.policy = policy;
    }

    Future<Reservation> change(Reservation r, ChangeWish wish, String who, Frame frame, Instant now) {
        BookingRequest request = wish.request(refusals);
        return desk.deliberate(r.team(), request).compose(deliberation -> {
            Planning planning = deliberation.planning();
            BookingOutcome outcome =
                    new BookingDecision(request, planning, policy.get(), now, () -> Ids.next("quo", now)).decide();
            if (outcome instanceof BookingOutcome.NotEligible) {
                throw refusals.notEligible(planning);
            }
            if (outcome instanceof BookingOutcome.NoCapacity) {
                throw refusals.changeRefused(
                        "Nothing can be had for the changed booking, and it says not to wait.",
                        "修改后的预订没有可用容量，且请求不允许排队。");
            }
            Edit edit = edit(wish.edit(), r, request, planning, outcome, now);
            return writes.write(
                    r,
                    who,
                    frame,
                    connection -> Future.succeededFuture(
                            new OwnerWrite.Next(edit, ReservationChange.BY_OWNER.and("planned afresh", "已重新规划"))));
        });
    }

    private Edit edit(
            Edit edit, Reservation r, BookingRequest request, Planning planning, BookingOutcome outcome, Instant now) {
        Terms before = r.terms();
        Terms open = new Terms(Map.of(), before.declined(), null, before.agreed(), before.unsent(), before.lapsed());
        Plan plan = planOf(outcome);
        edit.window(request.window(), request)
                .state(ReservationState.QUEUED)
                .proposal(null)
                .terms(caps.agreed(open, plan, planning, request.maxTotal()))
                .plan(plan)
                .standIn(plan == null ? null : Waiting.standIn(plan, false))
                .quote(plan == null ? null : new Reservation.AgreedQuote(Ids.next("quo", now), plan, now))
                .explanation(planning.explanation())
                .joined(r.joinedAt() == null ? r.createdAt() : r.joinedAt())
                .next("order", now);
        if (outcome instanceof BookingOutcome.Wait wait) {
            Plan standsIn = wait.planned() == null ? wait.plan() : wait.planned();
            return edit.standIn(standsIn == null ? null : Waiting.standIn(standsIn, false))
                    .next(wait.next().what(), wait.next().at());
        }
        if (outcome instanceof BookingOutcome.Ask ask) {
            return edit.state(ReservationState.OFFERED)
                    .proposal(ask.proposal())
                    .next("accept_or_decline", ask.proposal().expiresAt());
        }
        return edit; // What can be had for certain is taken by its next step, which is due now.
    }

    private static @Nullable Plan planOf(BookingOutcome outcome) {
        if (outcome instanceof BookingOutcome.Take take) {
            return take.plan();
        }
        if (outcome instanceof BookingOutcome.Order order) {
            return order.plan();
        }
        return outcome instanceof BookingOutcome.Wait wait ? wait.plan() : null;
    }
}
