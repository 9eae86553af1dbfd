package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.claim.ClaimChanges;
import dev.gpubroker.broker.claim.ClaimStep;
import dev.gpubroker.broker.claim.ClaimStore;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.schedule.DueHandler.Hold;
import dev.gpubroker.broker.schedule.DueHandler.Next;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Follows machines that were ordered for more GPUs of a running reservation. When all of them run, the number counts; when
 * one is lost, the others are given back, and the reservation runs on with what it had.
 */
final class Growth {
    /** A machine that is not up after this long will not come up. */
    private static final Duration PATIENCE = Duration.ofMinutes(45);

    private final ClaimStore claims;
    private final ClaimChanges claimChanges;
    private final Readiness readiness;
    private final Transition transition;
    private final Caps caps;
    private final DueWork due;

    Growth(
            ClaimStore claims,
            ClaimChanges claimChanges,
            Readiness readiness,
            Transition transition,
            Caps caps,
            DueWork due) {
        this.claims = claims;
        this.claimChanges = claimChanges;
        this.readiness = readiness;
        this.transition = transition;
        this.caps = caps;
        this.due = due;
    }

    Future<Optional<Next>> step(
            Reservation r, Reservation.PendingChange pending, List<Claim> all, Hold hold, Instant now) {
        List<Claim> ordered = all.stream()
                .filter(claim -> claim.attempt() == pending.attempt())
                .toList();
        if (!ordered.isEmpty()
                && ordered.stream().allMatch(claim -> ReservationStep.isOurs(claim) && claim.isRunning())) {
            return readiness
                    .ofMachines(r, ordered)
                    .compose(answer -> answer.waiting() == 0
                            ? delivered(r, pending, hold, now)
                            : wait(r, pending, ordered, hold, now));
        }
        return wait(r, pending, ordered, hold, now);
    }

    private Future<Optional<Next>> wait(
            Reservation r, Reservation.PendingChange pending, List<Claim> ordered, Hold hold, Instant now) {
        Instant until = pending.requestedAt().plus(PATIENCE);
        boolean lost = ordered.stream()
                        .anyMatch(claim -> !ReservationStep.isOurs(claim) && !ReservationStep.mayBecomeOurs(claim))
                || !now.isBefore(until);
        if (!lost) {
            return Future.succeededFuture(Next.at(
                    until.isBefore(r.window().end()) ? until : r.window().end()));
        }
        return ordered.stream().anyMatch(claim -> claim.state().isOpen())
                ? giveBack(r, pending, hold)
                : failed(r, pending, ordered, hold);
    }

    private Future<Optional<Next>> delivered(Reservation r, Reservation.PendingChange pending, Hold hold, Instant now) {
        return claims.machines(r.id())
                .compose(machines -> transition.write(
                        r,
                        hold,
                        new Why(
                                "the further machines run; it has " + pending.count() + " GPUs now",
                                "新增机器已运行，现有 " + pending.count() + " 张卡"),
                        edit -> counted(edit, r, pending, now).nodes(ReservationStep.assignedMachines(machines)),
                        connection -> claimChanges.adopt(connection, r.id(), pending.attempt(), r.attempts())));
    }

    private Edit counted(Edit edit, Reservation r, Reservation.PendingChange pending, Instant now) {
        Plan plan = Objects.requireNonNull(r.plan(), "what runs has a plan");
        Plan more = AlteredPlan.withNodes(
                plan, pending.count() / plan.flavor().gpusPerNode(), AlteredPlan.plus(plan.costing(), pending.added()));
        Money total = pending.added().total();
        return edit.pending(null)
                .health("partly_filled", false)
                .window(r.window(), withCount(r.request(), pending.count()))
                .plan(more)
                .quote(PlatformChange.agreed(r, more, pending.added(), now))
                .terms(total == null ? r.terms() : caps.grown(r.terms(), plan, total));
    }

    static BookingRequest withCount(BookingRequest asked, int count) {
        BookingRequest.Gpu gpu = asked.gpu();
        Integer nodes = gpu.nodes() == null ? null : count / (gpu.count() / gpu.nodes());
        return asked.with(
                new BookingRequest.Gpu(gpu.model(), count, nodes, gpu.memoryGb(), gpu.formFactor()), asked.window());
    }

    /** Its claims say when they are gone. */
    private Future<Optional<Next>> giveBack(Reservation r, Reservation.PendingChange pending, Hold hold) {
        return transition
                .alone(
                        hold,
                        connection -> claimChanges
                                .unwant(connection, r.id(), pending.attempt())
                                .compose(open -> pokeAll(connection, open)))
                .map(done -> Next.at(r.window().end()));
    }

    private Future<Void> pokeAll(SqlConnection connection, List<ClaimKey> open) {
        Future<Void> all = Future.succeededFuture();
        for (ClaimKey key : open) {
            all = all.compose(done -> due.poke(connection, ClaimStep.KIND, key.text()));
        }
        return all;
    }

    private Future<Optional<Next>> failed(
            Reservation r, Reservation.PendingChange pending, List<Claim> ordered, Hold hold) {
        Why why = Why.lost(ordered, new Why("they did not come up in time", "机器没有按时启动"));
        int kept = r.request().gpu().count();
        return transition.write(
                r,
                hold,
                new Why(
                        "no " + pending.count() + " GPUs: " + why.english() + "; it keeps " + kept,
                        "未能增加到 " + pending.count() + " 张卡：" + why.chinese() + "；仍保留 " + kept + " 张"),
                edit -> edit.pending(null));
    }
}
