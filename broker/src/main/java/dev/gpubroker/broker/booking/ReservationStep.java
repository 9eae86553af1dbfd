package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.broker.allocation.Allocations;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.claim.ClaimState;
import dev.gpubroker.broker.claim.ClaimStore;
import dev.gpubroker.broker.planning.Acquisition;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.schedule.DueHandler;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Takes one reservation on by one step. What to do is read from its row, its claims and the clock alone, so any worker can
 * go on where another stopped, and a doubled or lost wake-up does no harm.
 */
public final class ReservationStep implements DueHandler {
    public static final String KIND = "reservation";

    /** From so much on a late start is an incident. */
    private static final Duration LATE = Duration.ofMinutes(15);

    /** A start that waits for an earlier booking's clean-up looks again after this. */
    private static final Duration TURN = Duration.ofSeconds(30);
    /** Tries of a release after which its owner is told that it is not confirmed. */
    private static final int MANY_RELEASES = 5;
    /** A machine that is not up after this long will not come up. */
    private static final Duration LONGEST_PROVISIONING = Duration.ofMinutes(45);

    private final ReservationStore reservations;
    private final ClaimStore claims;
    private final Allocations allocations;
    private final Waiting waiting;
    private final PartDelivered part;
    private final Growth growth;
    private final NoShow noShow;
    private final Readiness readiness;
    private final Transition transition;
    private final InstantSource clock;

    ReservationStep(
            ReservationStore reservations,
            ClaimStore claims,
            Allocations allocations,
            Waiting waiting,
            PartDelivered part,
            Growth growth,
            NoShow noShow,
            Readiness readiness,
            Transition transition,
            InstantSource clock) {
        this.reservations = reservations;
        this.claims = claims;
        this.allocations = allocations;
        this.waiting = waiting;
        this.part = part;
        this.growth = growth;
        this.noShow = noShow;
        this.readiness = readiness;
        this.transition = transition;
        this.clock = clock;
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        String id = hold.item().subject();
        return reservations
                .read(id)
                .compose(found -> found.isEmpty()
                        ? Future.succeededFuture(Optional.empty())
                        : claims.ofReservation(id).compose(all -> step(found.get(), all, hold)));
    }

    private Future<Optional<Next>> step(Reservation r, List<Claim> all, Hold hold) {
        Instant now = clock.instant();
        switch (r.state()) {
            case QUEUED:
            case OFFERED:
                return waiting.step(r, hold, now);
            case ORDERING:
                return ordering(r, all, hold, now);
            case CONFIRMED:
                return confirmed(r, all, hold, now);
            case PROVISIONING:
                return provisioning(r, all, hold, now);
            case ACTIVE:
                return active(r, all, hold, now);
            case RELEASING:
                return releasing(r, all, hold, now);
            default:
                return Future.succeededFuture(Optional.empty());
        }
    }

    // ---- ordering: what comes of the attempt's claims ---------------------------------------------------

    private Future<Optional<Next>> ordering(Reservation r, List<Claim> all, Hold hold, Instant now) {
        List<Claim> attempt =
                all.stream().filter(claim -> claim.attempt() == r.attempts()).toList();
        if (!attempt.isEmpty() && attempt.stream().allMatch(ReservationStep::isOurs)) {
            return transition.write(r, hold, new Why("the platform confirmed", "平台已确认"), edit -> confirm(edit, r));
        }
        if (!now.isBefore(r.window().end())) {
            return transition.giveUp(
                    r,
                    hold,
                    ReservationState.FAILED,
                    new Why("the window passed before anything was delivered", "时段结束前没有交付任何机器"));
        }
        boolean lost = attempt.stream().anyMatch(claim -> !isOurs(claim) && !mayBecomeOurs(claim));
        if (!lost) {
            return Future.succeededFuture(Next.at(r.window().end())); // Its claims say when there is news.
        }
        Plan plan = r.plan();
        if (plan != null && part.mayDo(plan, attempt)) {
            return part.step(r, plan, attempt, hold, now);
        }
        if (all.stream().anyMatch(claim -> claim.state().isOpen())) {
            return letGo(r, all, hold);
        }
        return waiting.attemptFailed(r, attempt, hold, now);
    }

    /**
     * Gives back what the attempt still holds. What is being given back already is left to its own pace: each of its tries
     * wakes this step, which must not wake it in turn.
     */
    private Future<Optional<Next>> letGo(Reservation r, List<Claim> all, Hold hold) {
        Optional<Next> later = Next.at(r.window().end());
        return all.stream().anyMatch(claim -> claim.state().isOpen() && !claim.unwanted())
                ? transition.unwant(r, hold).map(later)
                : Future.succeededFuture(later);
    }

    /** Capacity is certain: a stand-in is final now, and the price is what was agreed with the platform. */
    static Edit confirm(Edit edit, Reservation r) {
        edit.state(ReservationState.CONFIRMED)
                .claimed()
                .blockers(List.of())
                .next("start", r.window().start());
        Reservation.Substituted standIn = r.standIn();
        if (standIn != null && r.plan() != null) {
            edit.standIn(r.plan().isExact() ? null : new Reservation.Substituted(standIn.standIn(), true));
        }
        return edit;
    }

    static boolean isOurs(Claim claim) {
        return claim.state() == ClaimState.CLAIMED && !claim.unwanted();
    }

    static boolean mayBecomeOurs(Claim claim) {
        return !claim.unwanted()
                && (claim.state() == ClaimState.INTENDED
                        || claim.state() == ClaimState.ACCEPTED
                        || claim.state() == ClaimState.UNKNOWN);
    }

    // ---- from certain to running ------------------------------------------------------------------------

    private Future<Optional<Next>> confirmed(Reservation r, List<Claim> all, Hold hold, Instant now) {
        if (!now.isBefore(r.window().end())) {
            return transition.giveUp(
                    r, hold, ReservationState.FAILED, new Why("the broker missed the window", "系统错过了该时段"));
        }
        if (isFromPlatform(r) && all.stream().noneMatch(claim -> isOurs(claim) && claim.attempt() == r.attempts())) {
            return transition.write(
                    r,
                    hold,
                    new Why("the platform withdrew what it had confirmed", "平台撤回了已确认的容量"),
                    edit -> edit.state(ReservationState.ORDERING));
        }
        if (now.isBefore(r.window().start())) {
            return Future.succeededFuture(Next.at(r.window().start()));
        }
        return transition.write(
                r,
                hold,
                new Why("the window begins", "时段开始"),
                edit -> edit.state(ReservationState.PROVISIONING)
                        .next("start", r.window().start()));
    }

    private Future<Optional<Next>> provisioning(Reservation r, List<Claim> all, Hold hold, Instant now) {
        if (!now.isBefore(r.window().end())) {
            return transition.giveUp(
                    r,
                    hold,
                    ReservationState.FAILED,
                    new Why("the machines did not come up inside the window", "机器未在时段内启动"));
        }
        return isFromPlatform(r) ? machinesComeUp(r, all, hold, now) : ownNodesStart(r, hold, now);
    }

    private Future<Optional<Next>> ownNodesStart(Reservation r, Hold hold, Instant now) {
        if (Displaced.holdsBack(r, now)) {
            return outOfOrder(r, hold);
        }
        return allocations.waitsForAnEarlierOne(r.id()).compose(waits -> {
            if (waits) {
                boolean told = r.health().contains("delayed");
                return told
                        ? Future.succeededFuture(Next.at(now.plus(TURN)))
                        : transition
                                .write(
                                        r,
                                        hold,
                                        new Why(
                                                "an earlier booking on its nodes is not released yet",
                                                "其节点上的前一个预订尚未释放"),
                                        edit -> edit.health("delayed", true))
                                .map(done -> Next.at(now.plus(TURN)));
            }
            return readiness
                    .ofOwnNodes(r)
                    .compose(answer -> answer.waiting() == 0
                            ? ownNodesRun(r, answer, hold, now)
                            : Future.succeededFuture(Next.at(r.window().end()))); // Who asks them wakes it.
        });
    }

    private Future<Optional<Next>> ownNodesRun(Reservation r, Readiness.Answer answer, Hold hold, Instant now) {
        return allocations
                .of(r.id())
                .compose(places -> transition.write(
                        r,
                        hold,
                        late(
                                new Why("own nodes", "自有节点")
                                        .and(
                                                answer.why().english(),
                                                answer.why().chinese()),
                                r,
                                now),
                        edit -> edit.state(ReservationState.ACTIVE)
                                .health("sla_incident", isLate(r, now))
                                .health("delayed", false)
                                .nodes(assigned(places))
                                .next("end", r.window().end())));
    }

    /** Machines take minutes to come up; what is later than that was lost to the owner. */
    private static boolean isLate(Reservation r, Instant now) {
        return lost(r, now).compareTo(LATE) >= 0;
    }

    private static Why late(Why started, Reservation r, Instant now) {
        long minutes = lost(r, now).toMinutes();
        return isLate(r, now)
                ? started.and(minutes + " minutes of the window were lost", "该时段损失了 " + minutes + " 分钟")
                : started;
    }

    private static Duration lost(Reservation r, Instant now) {
        return Duration.between(latest(r.window().start(), r.createdAt()), now);
    }

    /** Whoever mends its machines, or frees others, wakes it. */
    private Future<Optional<Next>> outOfOrder(Reservation r, Hold hold) {
        Optional<Next> atTheEnd = Next.at(r.window().end());
        return r.health().contains("delayed")
                ? Future.succeededFuture(atTheEnd)
                : transition
                        .write(
                                r,
                                hold,
                                new Why("its machines are out of order", "其机器已停用"),
                                edit -> edit.health("delayed", true))
                        .map(done -> atTheEnd);
    }

    static List<Reservation.AssignedNode> assigned(List<Place> places) {
        return places.stream()
                .flatMap(place -> place.parts().stream())
                .map(part -> new Reservation.AssignedNode(
                        part.nodeId(), part.nodeName(), part.firstGpu(), part.gpus(), null))
                .toList();
    }

    private Future<Optional<Next>> machinesComeUp(Reservation r, List<Claim> all, Hold hold, Instant now) {
        List<Claim> attempt =
                all.stream().filter(claim -> claim.attempt() == r.attempts()).toList();
        if (!attempt.isEmpty() && attempt.stream().allMatch(claim -> isOurs(claim) && claim.isRunning())) {
            return readiness
                    .ofMachines(r, attempt)
                    .compose(answer -> answer.waiting() == 0
                            ? machinesRun(r, answer, hold, now)
                            : waitForMachines(r, all, attempt, hold, now));
        }
        return waitForMachines(r, all, attempt, hold, now);
    }

    private Future<Optional<Next>> machinesRun(Reservation r, Readiness.Answer answer, Hold hold, Instant now) {
        return claims.machines(r.id())
                .compose(machines -> transition.write(
                        r,
                        hold,
                        late(
                                new Why("the platform reports running", "平台报告已运行")
                                        .and(
                                                answer.why().english(),
                                                answer.why().chinese()),
                                r,
                                now),
                        edit -> edit.state(ReservationState.ACTIVE)
                                .health("sla_incident", isLate(r, now))
                                .nodes(assignedMachines(machines))
                                .next("end", r.window().end())));
    }

    private Future<Optional<Next>> waitForMachines(
            Reservation r, List<Claim> all, List<Claim> attempt, Hold hold, Instant now) {
        boolean broken = attempt.stream().anyMatch(claim -> !isOurs(claim));
        Instant patience = latest(
                        r.window().start(),
                        attempt.stream()
                                .map(Claim::intendedAt)
                                .max(Instant::compareTo)
                                .orElse(now))
                .plus(LONGEST_PROVISIONING);
        if (!broken && now.isBefore(patience)) {
            return Future.succeededFuture(Next.at(patience));
        }
        if (all.stream().anyMatch(claim -> claim.state().isOpen())) {
            return letGo(r, all, hold);
        }
        return transition.write(
                r,
                hold,
                new Why("the machines never came up", "机器一直没有启动"),
                edit -> edit.state(ReservationState.ORDERING));
    }

    static List<Reservation.AssignedNode> assignedMachines(List<ClaimStore.MachineRow> machines) {
        return machines.stream()
                .map(each -> new Reservation.AssignedNode(
                        each.nodeId(), each.platformRef(), 0, each.gpus(), each.platformRef()))
                .toList();
    }

    private static Instant latest(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    static boolean isFromPlatform(Reservation r) {
        return r.plan() != null && r.plan().acquisition() != Acquisition.POOL;
    }

    // ---- running, and the way out -----------------------------------------------------------------------

    private Future<Optional<Next>> active(Reservation r, List<Claim> all, Hold hold, Instant now) {
        if (!now.isBefore(r.window().end())) {
            return transition.giveUp(r, hold, ReservationState.COMPLETED, new Why("the window has ended", "时段已结束"));
        }
        boolean ended = isFromPlatform(r)
                && all.stream()
                        .filter(claim -> claim.attempt() == r.attempts())
                        .anyMatch(claim ->
                                claim.state() == ClaimState.RELEASED || claim.phase() == ClaimStatus.Phase.GONE);
        if (ended) {
            return transition.giveUp(
                    r,
                    hold,
                    ReservationState.FAILED,
                    new Why("a machine was ended on the platform before the window's end", "有机器在时段结束前被平台终止"));
        }
        return r.pending() == null ? noShow.step(r, hold, now) : growth.step(r, r.pending(), all, hold, now);
    }

    private Future<Optional<Next>> releasing(Reservation r, List<Claim> all, Hold hold, Instant now) {
        List<Claim> open = all.stream().filter(claim -> claim.state().isOpen()).toList();
        if (open.isEmpty()) {
            ReservationState ending = r.ending() == null ? ReservationState.FAILED : r.ending();
            return transition.write(
                    r,
                    hold,
                    new Why("everything is given back", "已全部释放"),
                    edit -> edit.state(ending).health("release_unconfirmed", false));
        }
        boolean late = open.stream().anyMatch(claim -> claim.releaseTries() >= MANY_RELEASES);
        if (late && !r.health().contains("release_unconfirmed")) {
            return transition
                    .write(
                            r,
                            hold,
                            new Why("the platform has not confirmed the release; it goes on", "平台尚未确认释放，将继续重试"),
                            edit -> edit.health("release_unconfirmed", true))
                    .map(done -> Optional.of(new Next(now.plus(Duration.ofHours(1)), true)));
        }
        return open.stream().anyMatch(claim -> !claim.unwanted())
                ? transition.unwant(r, hold).map(done -> Optional.of(new Next(now.plus(Duration.ofHours(1)), true)))
                : Future.succeededFuture(Next.periodic(now.plus(Duration.ofHours(1))));
    }
}
