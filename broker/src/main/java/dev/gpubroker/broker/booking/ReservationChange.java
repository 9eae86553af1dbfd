package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.booking.BookingService.Frame;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Changes of a reservation by its owner: title, labels, start, end, and the number of GPUs. A refused change changes
 * nothing, and running work is never moved.
 */
final class ReservationChange {
    static final Why BY_OWNER = new Why("changed by its owner", "由所有者修改");

    private final ReservationStore reservations;
    private final QueuedChange queued;
    private final PoolChange pool;
    private final PlatformChange platform;
    private final OwnerWrite writes;
    private final DueWork due;
    private final Refusals refusals;
    private final InstantSource clock;

    ReservationChange(
            ReservationStore reservations,
            QueuedChange queued,
            PoolChange pool,
            PlatformChange platform,
            OwnerWrite writes,
            DueWork due,
            Refusals refusals,
            InstantSource clock) {
        this.reservations = reservations;
        this.queued = queued;
        this.pool = pool;
        this.platform = platform;
        this.writes = writes;
        this.due = due;
        this.refusals = refusals;
        this.clock = clock;
    }

    /** @param hasKey whether the call carries an idempotency key, which an extension or more GPUs need */
    Future<Reservation> change(
            String team, String who, String id, long version, ObjectNode body, boolean hasKey, Frame frame) {
        return reservations
                .read(id)
                .compose(found -> {
                    Reservation r =
                            found.filter(each -> each.team().equals(team)).orElseThrow(() -> refusals.notFound(id));
                    if (r.version() != version) {
                        throw refusals.stale(r);
                    }
                    ChangeWish wish = ChangeWish.of(r, body, clock.instant());
                    if (wish.spends() && !hasKey) {
                        throw keyMissing();
                    }
                    return change(r, wish, who, frame);
                })
                .onSuccess(done -> due.lookNow());
    }

    private Future<Reservation> change(Reservation r, ChangeWish wish, String who, Frame frame) {
        if (wish.changesNothing()) {
            return writes.nothing(r, frame);
        }
        if (wish.isOnlyText()) {
            return writes.write(
                    r, who, frame, connection -> Future.succeededFuture(new OwnerWrite.Next(wish.edit(), BY_OWNER)));
        }
        if (r.state().isEnded() || r.state() == ReservationState.RELEASING) {
            throw refusals.wrongState(r, "It has ended, or is ending.", "预订已结束或正在释放。");
        }
        if (r.pending() != null) {
            throw refusals.wrongState(r, "A change is under way; see pendingChange.", "有修改正在进行，见 pendingChange。");
        }
        Instant now = clock.instant();
        boolean begun = !r.state().isWaiting()
                && (r.state() == ReservationState.ACTIVE
                        || r.state() == ReservationState.PROVISIONING
                        || !now.isBefore(r.window().start()));
        if (wish.movesStart() && begun) {
            throw refusals.changeRefused(
                    "Its window has begun, and running work is never moved; end it early and book anew.",
                    "预订时段已经开始，运行中的任务不会被移动；请提前结束后重新预订。");
        }
        if (r.state().isWaiting() || r.plan() == null) {
            return queued.change(r, wish, who, frame, now);
        }
        return ReservationStep.isFromPlatform(r)
                ? platform.change(r, wish, who, frame, now)
                : pool.change(r, wish, who, frame, begun, now);
    }

    private static ApiProblem keyMissing() {
        return new ApiProblem(
                400,
                "idempotency_key_missing",
                "An extension, or more GPUs, spends money: send an Idempotency-Key.",
                "延长或增加卡数会产生费用，请带上 Idempotency-Key 请求头。");
    }
}
