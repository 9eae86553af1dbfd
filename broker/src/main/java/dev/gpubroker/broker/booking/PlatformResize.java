package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.booking.BookingService.Frame;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.claim.ClaimChanges;
import dev.gpubroker.broker.claim.ClaimStep;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.ShapeRule;
import dev.gpubroker.broker.quote.Costing;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * More or fewer machines of what runs on a platform. Fewer are given back one by one, where the platform sold them one by
 * one. More are bought like the others; the number counts only when they run.
 */
final class PlatformResize {
    private final ClaimChanges claimChanges;
    private final MorePrice price;
    private final Purchase purchase;
    private final Caps caps;
    private final OwnerWrite writes;
    private final DueWork due;
    private final Refusals refusals;

    PlatformResize(
            ClaimChanges claimChanges,
            MorePrice price,
            Purchase purchase,
            Caps caps,
            OwnerWrite writes,
            DueWork due,
            Refusals refusals) {
        this.claimChanges = claimChanges;
        this.price = price;
        this.purchase = purchase;
        this.caps = caps;
        this.writes = writes;
        this.due = due;
        this.refusals = refusals;
    }

    /**
     * @param held claims of the attempt that runs
     * @param all every claim of the reservation
     */
    Future<Reservation> change(
            Reservation r,
            Plan plan,
            List<Claim> held,
            List<Claim> all,
            ChangeWish wish,
            String who,
            Frame frame,
            Instant now) {
        if (r.state() != ReservationState.ACTIVE) {
            throw refusals.changeRefused(
                    "The number of GPUs that were bought can be changed while they run, not before; cancel and book anew.",
                    "已购资源的卡数只能在运行中修改；请取消后重新预订。");
        }
        BookingRequest request = wish.request(refusals);
        int each = plan.flavor().gpusPerNode();
        int nodes = wish.count() / each;
        boolean fits =
                wish.count() % each == 0 && ShapeRule.of(request).nodesOf(each).orElse(0) == nodes;
        if (!fits) {
            throw refusals.changeRefused(
                    plan.platform() + " gave machines of " + each + " GPUs: the number can change by whole machines"
                            + (request.gpu().count() <= each
                                    ? "."
                                    : ", and up to 8 GPUs stay on one machine unless"
                                            + " constraints.singleNode is false."),
                    plan.platform() + " 提供的是每台 " + each
                            + " 卡的机器，只能整台增减；未设 constraints.singleNode 为 false 时 8 张以内须在同一台。");
        }
        int attempt = Purchase.nextAttempt(r, all);
        return wish.grows()
                ? grow(r, plan, held, wish, nodes - plan.nodes(), attempt, who, frame, now)
                : shrink(r, plan, held, wish, request, nodes, attempt, who, frame, now);
    }

    // ---- fewer --------------------------------------------------------------------------------------------

    private Future<Reservation> shrink(
            Reservation r,
            Plan plan,
            List<Claim> held,
            ChangeWish wish,
            BookingRequest request,
            int nodes,
            int attempt,
            String who,
            Frame frame,
            Instant now) {
        List<Claim> givenUp = lastOf(held, plan.nodes() - nodes);
        if (givenUp.isEmpty()) {
            throw refusals.changeRefused(
                    plan.platform() + " sold these machines together, and gives them back only together.",
                    plan.platform() + " 的这些机器是一次购买的，只能一起释放。");
        }
        List<String> keys = givenUp.stream().map(claim -> claim.key().text()).toList();
        Instant from = r.window().start().isAfter(now) ? r.window().start() : now;
        BigDecimal unused = PlatformChange.machineHours(
                plan.nodes() - nodes, Duration.between(from, r.window().end()));
        Plan fewer = AlteredPlan.withNodes(plan, nodes, AlteredPlan.less(plan, unused));
        Edit edit = wish.edit()
                .window(wish.window(), request)
                .plan(fewer)
                .terms(caps.lessened(r.terms(), fewer))
                .quote(PlatformChange.lessened(r, fewer, unused))
                .nodes(r.nodes().stream()
                        .filter(node -> keys.stream().noneMatch(key -> node.id().startsWith(key + "/")))
                        .toList());
        return writes.write(
                r,
                who,
                frame,
                connection -> giveUp(connection, givenUp, attempt)
                        .map(new OwnerWrite.Next(
                                edit,
                                new Why("fewer GPUs, by its owner; the others are given back", "由所有者减少卡数，其余机器已释放"))));
    }

    /** The last claims that make exactly so many machines; empty where no claims do. */
    private static List<Claim> lastOf(List<Claim> held, int nodes) {
        List<Claim> chosen = new ArrayList<>();
        int left = nodes;
        for (int i = held.size() - 1; i >= 0 && left > 0; i--) {
            Claim claim = held.get(i);
            if (claim.request().nodes() <= left) {
                chosen.add(claim);
                left -= claim.request().nodes();
            }
        }
        return left == 0 ? chosen : List.of();
    }

    /** Out of the attempt that runs, whose claims must all run, each under a number of its own. */
    private Future<Void> giveUp(SqlConnection connection, List<Claim> givenUp, int attempt) {
        Future<Void> all = Future.succeededFuture();
        for (Claim claim : givenUp) {
            all = all.compose(done -> claimChanges.setAside(connection, claim, attempt))
                    .compose(done ->
                            due.poke(connection, ClaimStep.KIND, claim.key().text()));
        }
        return all;
    }

    // ---- more ---------------------------------------------------------------------------------------------

    private Future<Reservation> grow(
            Reservation r,
            Plan plan,
            List<Claim> held,
            ChangeWish wish,
            int nodes,
            int attempt,
            String who,
            Frame frame,
            Instant now) {
        Claim like = held.get(0);
        if (like.request().offer().term() != Term.NOW) {
            throw refusals.changeRefused(
                    plan.platform() + " sells whole periods: book the further GPUs as a new reservation.",
                    plan.platform() + " 按固定时段出售；请另行预订更多 GPU。");
        }
        Window rest = new Window(now, r.window().end());
        return price.of(r, plan, like, nodes, rest, "more machines").compose(costing -> {
            Plan more = more(plan, like, nodes, rest, costing);
            Edit edit = wish.edit()
                    .pending(new Reservation.PendingChange(wish.count(), attempt, now, costing))
                    .terms(r.terms());
            Money total = Objects.requireNonNull(costing.total(), "a price that was checked");
            Why why = new Why(
                    nodes + " more machines ordered by its owner for " + total,
                    "由所有者增订 " + nodes + " 台机器，费用为 " + total);
            return writes.write(
                    r,
                    who,
                    frame,
                    connection ->
                            purchase.intend(connection, r, more, attempt, now).map(new OwnerWrite.Next(edit, why)));
        });
    }

    /** The very same offer as what runs: one platform, one zone, one model. */
    private static Plan more(Plan plan, Claim like, int nodes, Window rest, Costing costing) {
        Plan ending = AlteredPlan.withNodes(plan, nodes, costing);
        return AlteredPlan.during(ending, rest, like.request().offer());
    }
}
