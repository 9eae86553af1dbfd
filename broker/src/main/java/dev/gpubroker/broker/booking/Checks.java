package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.broker.claim.MoneyGuard;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.planning.ReasonChinese;
import dev.gpubroker.broker.planning.Rejection;
import dev.gpubroker.broker.platform.Balances;
import dev.gpubroker.broker.schedule.DueHandler;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Looks, at booking and 14, 7, 3, 1 days and 2 hours before the start, at what would keep the purchase from going through:
 * quota, balance, credentials, permission, the account's purchase mode and caps, the price. What is found becomes a blocker
 * that says what to do and by when: weeks ahead it is a to-do, at the start it would be a failure.
 */
public final class Checks implements DueHandler {
    public static final String KIND = "check";

    private static final List<Duration> AHEAD = List.of(
            Duration.ofDays(14), Duration.ofDays(7), Duration.ofDays(3), Duration.ofDays(1), Duration.ofHours(2));
    /** What somebody can set right, as against what only time brings. */
    private static final Set<Reason> CURABLE = EnumSet.of(
            Reason.NO_QUOTA, Reason.NO_BALANCE, Reason.NOT_ELIGIBLE, Reason.BAD_CREDENTIALS, Reason.NOT_COMPLIANT);

    private final Database database;
    private final ReservationStore reservations;
    private final PlanDesk desk;
    private final MoneyGuard guard;
    private final Balances balances;
    private final Transition transition;
    private final Caps caps;
    private final Supplier<Policy> policy;
    private final InstantSource clock;

    Checks(
            Database database,
            ReservationStore reservations,
            PlanDesk desk,
            MoneyGuard guard,
            Balances balances,
            Transition transition,
            Caps caps,
            Supplier<Policy> policy,
            InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.desk = desk;
        this.guard = guard;
        this.balances = balances;
        this.transition = transition;
        this.caps = caps;
        this.policy = policy;
        this.clock = clock;
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        return reservations.read(hold.item().subject()).compose(found -> {
            if (found.isEmpty() || !isAhead(found.get())) {
                return Future.succeededFuture(Optional.empty());
            }
            Reservation r = found.get();
            return blockers(r).compose(blockers -> write(r, blockers, hold)).map(done -> next(r));
        });
    }

    private static boolean isAhead(Reservation r) {
        return r.state().isWaiting()
                || r.state() == ReservationState.ORDERING
                || r.state() == ReservationState.CONFIRMED;
    }

    private Optional<Next> next(Reservation r) {
        Instant now = clock.instant();
        return AHEAD.stream()
                .map(ahead -> r.window().start().minus(ahead))
                .filter(at -> at.isAfter(now))
                .findFirst()
                .flatMap(Next::at);
    }

    /** Only what changed is written: a check that finds the same again is no event. Machines out of order are not its part. */
    private Future<Void> write(Reservation r, List<Reservation.Blocker> found, Hold hold) {
        List<Reservation.Blocker> blockers = Stream.concat(
                        r.blockers().stream().filter(Displaced::isOutage), found.stream())
                .toList();
        if (blockers.equals(r.blockers())) {
            return Future.succeededFuture();
        }
        Why why = blockers.isEmpty()
                ? new Why("nothing is in the way any more", "所有障碍已消除")
                : new Why(
                        "in the way: " + blockers.get(0).how(),
                        "存在障碍：" + blockers.get(0).howZh());
        return transition.write(r, hold, why, edit -> edit.blockers(blockers)).mapEmpty();
    }

    private Future<List<Reservation.Blocker>> blockers(Reservation r) {
        Plan plan = r.plan();
        if (plan == null || !ReservationStep.isFromPlatform(r) || !r.state().isWaiting()) {
            return Future.succeededFuture(List.of());
        }
        Money most = caps.of(plan, r.terms(), r.request().maxTotal())
                .orElse(plan.costing().total());
        Future<Optional<MoneyGuard.No>> allowed = most == null
                ? Future.succeededFuture(Optional.empty())
                : database.inTransaction(connection -> guard.look(
                        connection, new MoneyGuard.Bid(plan.account(), r.id(), "", most, most), clock.instant()));
        return Future.all(allowed, balances.of(plan.account()), desk.deliberate(r.team(), r.request()))
                .map(all -> list(
                        r,
                        plan,
                        allowed.result(),
                        all.<Optional<Money>>resultAt(1),
                        all.<PlanDesk.Deliberation>resultAt(2)));
    }

    private List<Reservation.Blocker> list(
            Reservation r,
            Plan plan,
            Optional<MoneyGuard.No> no,
            Optional<Money> balance,
            PlanDesk.Deliberation deliberation) {
        Instant fixBy = r.window().start().minus(policy.get().acquireLead());
        List<Reservation.Blocker> blockers = new ArrayList<>();
        no.ifPresent(each ->
                blockers.add(new Reservation.Blocker(each.reason().wireName(), fixBy, each.detail(), each.detailZh())));
        Money total = plan.costing().total();
        balance.filter(left -> total != null && left.currency().equals(total.currency()) && total.isMoreThan(left))
                .ifPresent(left -> blockers.add(new Reservation.Blocker(
                        Reason.NO_BALANCE.wireName(),
                        fixBy,
                        "account " + plan.account() + " has " + left + " left and the booking costs " + total
                                + ": top it up",
                        "账户 " + plan.account() + " 余额 " + left + "，预订需要 " + total + "：请充值")));
        deliberation.planning().explanation().stream()
                .filter(each -> isAbout(each, plan) && CURABLE.contains(each.reason()))
                .map(each -> new Reservation.Blocker(
                        each.reason().wireName(),
                        fixBy,
                        plan.platform() + ": " + each.detail(),
                        plan.platform() + "：" + ReasonChinese.of(each.reason()) + "（" + each.detail() + "）"))
                .filter(each ->
                        blockers.stream().noneMatch(known -> known.what().equals(each.what())))
                .forEach(blockers::add);
        dearer(r, plan, deliberation)
                .ifPresent(now -> blockers.add(new Reservation.Blocker(
                        Reason.TOO_EXPENSIVE.wireName(),
                        fixBy,
                        "the price is " + now + " now, above the limit agreed: it would be proposed, not bought",
                        "现价 " + now + "，高于约定上限：届时将先征求同意，不会直接购买")));
        return blockers;
    }

    private static boolean isAbout(Rejection rejection, Plan plan) {
        return rejection.platform().equals(plan.platform())
                && (rejection.model().isEmpty()
                        || rejection.model().equals(plan.flavor().model()))
                && (rejection.sku() == null || rejection.sku().equals(plan.sku()));
    }

    /** The price of the same SKU now, if it is above the cap and nothing else affordable is there. */
    private Optional<Money> dearer(Reservation r, Plan plan, PlanDesk.Deliberation deliberation) {
        Planning planning = deliberation.planning();
        List<Plan> same = Stream.concat(planning.plans().stream(), planning.aboveLimit().stream())
                .filter(each -> !each.needsPick() && each.stock() != Plan.StockView.SOLD_OUT)
                .filter(each -> each.flavor().model().equals(plan.flavor().model()))
                .toList();
        boolean allOver = !same.isEmpty()
                && same.stream()
                        .allMatch(
                                each -> caps.isOver(each, r.terms(), r.request().maxTotal()));
        return allOver ? Optional.ofNullable(same.get(0).costing().total()) : Optional.empty();
    }
}
