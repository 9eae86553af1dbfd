package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.booking.BookingService.Frame;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.claim.ClaimChanges;
import dev.gpubroker.broker.claim.ClaimState;
import dev.gpubroker.broker.claim.ClaimStore;
import dev.gpubroker.broker.claim.MoneyGuard;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.quote.Costing;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.Limits;
import dev.gpubroker.broker.request.RequestJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Changes of what was bought: its end, as far as the platform lets it be moved, and the number of machines. */
final class PlatformChange {
    private final ReservationStore reservations;
    private final ClaimStore claims;
    private final ClaimChanges claimChanges;
    private final Platforms platforms;
    private final TimedEnds ends;
    private final MorePrice price;
    private final PlatformResize resize;
    private final MoneyGuard guard;
    private final Caps caps;
    private final OwnerWrite writes;
    private final Refusals refusals;

    PlatformChange(
            ReservationStore reservations,
            ClaimStore claims,
            ClaimChanges claimChanges,
            Platforms platforms,
            TimedEnds ends,
            MorePrice price,
            PlatformResize resize,
            MoneyGuard guard,
            Caps caps,
            OwnerWrite writes,
            Refusals refusals) {
        this.reservations = reservations;
        this.claims = claims;
        this.claimChanges = claimChanges;
        this.platforms = platforms;
        this.ends = ends;
        this.price = price;
        this.resize = resize;
        this.guard = guard;
        this.caps = caps;
        this.writes = writes;
        this.refusals = refusals;
    }

    Future<Reservation> change(Reservation r, ChangeWish wish, String who, Frame frame, Instant now) {
        Plan plan = Objects.requireNonNull(r.plan(), "what was bought has a plan");
        if (r.state() == ReservationState.ORDERING) {
            throw refusals.wrongState(
                    r,
                    "It is being ordered from " + plan.platform() + "; change it when the platform has answered.",
                    "正在向 " + plan.platform() + " 下单；请在平台答复后再修改。");
        }
        if (wish.movesStart()) {
            throw refusals.changeRefused(
                    "It is bought from " + plan.platform()
                            + " for its window, which cannot be moved; cancel it and book anew.",
                    "已按该时段向 " + plan.platform() + " 购买，无法改期；请取消后重新预订。");
        }
        if (wish.changesCount() && wish.movesEnd()) {
            throw refusals.changeRefused(
                    "Change the end or the number of GPUs of what was bought, one after the other.",
                    "已购资源请先后分别修改结束时间和卡数。");
        }
        return claims.ofReservation(r.id()).compose(all -> {
            List<Claim> held = held(r, all);
            if (wish.changesCount()) {
                return resize.change(r, plan, held, all, wish, who, frame, now);
            }
            return wish.endsLater()
                    ? extend(r, plan, held, wish, who, frame, now)
                    : endEarlier(r, plan, held, wish, who, frame);
        });
    }

    private List<Claim> held(Reservation r, List<Claim> all) {
        List<Claim> held = all.stream()
                .filter(claim ->
                        claim.attempt() == r.attempts() && claim.state() == ClaimState.CLAIMED && !claim.unwanted())
                .toList();
        if (held.isEmpty()) {
            throw refusals.wrongState(r, "What was bought is not settled; try again in a minute.", "购买结果尚未确定，请稍后重试。");
        }
        return held;
    }

    // ---- an earlier end -----------------------------------------------------------------------------------

    /** Ours first: a machine must not die because a refused change had moved its end already. */
    private Future<Reservation> endEarlier(
            Reservation r, Plan plan, List<Claim> held, ChangeWish wish, String who, Frame frame) {
        boolean asUsed = isPaidAsUsed(held, plan);
        Instant end = wish.window().end();
        BigDecimal unused =
                machineHours(plan.nodes(), Duration.between(end, r.window().end()));
        Plan shorter = asUsed ? AlteredPlan.ending(plan, end, AlteredPlan.less(plan, unused)) : plan;
        Edit edit = edit(r, wish, wish.request(refusals)).plan(shorter);
        if (asUsed) {
            edit.terms(caps.lessened(r.terms(), shorter)).quote(lessened(r, shorter, unused));
        }
        return writes.write(
                        r,
                        who,
                        frame,
                        connection -> Future.succeededFuture(
                                new OwnerWrite.Next(edit, new Why("ends earlier, by its owner", "由所有者提前结束"))))
                .compose(done -> ends.tryMove(held, wish.window().end()).map(done));
    }

    private static Edit edit(Reservation r, ChangeWish wish, BookingRequest request) {
        Edit edit = wish.edit().window(wish.window(), request);
        return r.state() == ReservationState.ACTIVE
                ? edit.next("end", wish.window().end())
                : edit;
    }

    // ---- a later end --------------------------------------------------------------------------------------

    private Future<Reservation> extend(
            Reservation r, Plan plan, List<Claim> held, ChangeWish wish, String who, Frame frame, Instant now) {
        Instant end = wish.window().end();
        Instant limit = limit(held, plan);
        if (limit != null && end.isAfter(limit)) {
            throw beyond(r, plan, held, limit);
        }
        if (limit != null && !isPaidAsUsed(held, plan)) {
            return write(
                    r, plan, held, wish, null, who, frame, now); // Paid already: the platform sold more than was asked.
        }
        Window added = new Window(r.window().end(), end);
        return price.of(r, plan, held.get(0), plan.nodes(), added, "extension")
                .compose(costing -> ends.move(held, end)
                        .recover(fault -> fault instanceof TimedEnds.Fixed
                                ? Future.failedFuture(fixed(plan))
                                : back(r, held).compose(done -> Future.failedFuture(notMoved(plan))))
                        .compose(moved -> write(r, plan, held, wish, costing, who, frame, now)
                                .recover(fault -> back(r, held).compose(done -> Future.failedFuture(fault)))));
    }

    /** To where the reservation ends now, which another change may have moved meanwhile. */
    private Future<Void> back(Reservation r, List<Claim> held) {
        return reservations
                .read(r.id())
                .compose(now -> ends.tryMove(held, now.orElse(r).window().end()));
    }

    /** What the shortest extension would cost; fails as it would fail. Changes nothing, here or there. */
    Future<Extension> extension(Reservation r) {
        Plan plan = Objects.requireNonNull(r.plan(), "what was bought has a plan");
        return claims.ofReservation(r.id()).compose(all -> {
            List<Claim> held = held(r, all);
            boolean asUsed = isPaidAsUsed(held, plan);
            Duration by = asUsed ? step(plan) : Extensions.SHORTEST;
            Instant limit = limit(held, plan);
            if (limit != null && r.window().end().plus(by).isAfter(limit)) {
                throw beyond(r, plan, held, limit);
            }
            Instant until = latestEnd(r, limit);
            if (limit != null && !asUsed) {
                return Future.succeededFuture(Extension.of(by, null, until));
            }
            Window added = new Window(r.window().end(), r.window().end().plus(by));
            return ends.canMove(held)
                    .compose(can -> can ? Future.<Void>succeededFuture() : Future.failedFuture(fixed(plan)))
                    .compose(can -> price.of(r, plan, held.get(0), plan.nodes(), added, "extension"))
                    .map(costing -> Extension.of(by, costing.total(), until));
        });
    }

    /** The shortest time that the platform sells. */
    private Duration step(Plan plan) {
        return platforms
                .account(plan.account())
                .map(account -> account.capabilities().termStep())
                .filter(step -> step.compareTo(Extensions.SHORTEST) > 0)
                .orElse(Extensions.SHORTEST);
    }

    private static Instant latestEnd(Reservation r, @Nullable Instant limit) {
        Instant most = r.window().start().plus(Limits.MAX_LENGTH);
        return (limit == null || limit.isAfter(most) ? most : limit)
                .atZone(r.request().timeZone())
                .truncatedTo(ChronoUnit.HOURS)
                .toInstant();
    }

    private Future<Reservation> write(
            Reservation r,
            Plan plan,
            List<Claim> held,
            ChangeWish wish,
            @Nullable Costing added,
            String who,
            Frame frame,
            Instant now) {
        Instant end = wish.window().end();
        Costing costing = AlteredPlan.plus(plan.costing(), added);
        Plan longer = added == null ? plan : AlteredPlan.ending(plan, end, costing);
        Money total = added == null ? null : added.total();
        Edit edit = edit(r, wish, wish.request(refusals)).plan(longer).quote(agreed(r, longer, added, now));
        if (total != null) {
            edit.terms(caps.grown(r.terms(), plan, total));
        }
        Why why = total == null
                ? new Why("extended by its owner within what was bought", "由所有者在已购时段内延长")
                : new Why("extended by its owner; the added hours cost " + total, "由所有者延长，新增时长费用为 " + total);
        return writes.write(
                r,
                who,
                frame,
                connection -> (total == null ? Future.<Void>succeededFuture() : spend(connection, held, total, now))
                        .map(new OwnerWrite.Next(edit, why)));
    }

    /** The caps of the account bind an extension as they bind a purchase, and it counts towards them. */
    private Future<Void> spend(SqlConnection connection, List<Claim> held, Money total, Instant now) {
        return guard.lookAgain(connection, held.get(0), total, now).compose(no -> {
            if (no.isPresent()) {
                return Future.failedFuture(refusals.changeRefused(
                        "Nothing more may be bought there: " + no.get().detail() + ".",
                        "该账号目前不能再购买：" + no.get().detailZh() + "。"));
            }
            Money each = new Money(
                    total.amount()
                            .divide(
                                    BigDecimal.valueOf(held.size()),
                                    total.amount().scale(),
                                    RoundingMode.CEILING),
                    total.currency());
            Future<Void> all = Future.succeededFuture();
            for (Claim claim : held) {
                all = all.compose(done -> claimChanges.addAmount(connection, claim.key(), each));
            }
            return all;
        });
    }

    static BigDecimal machineHours(int nodes, Duration time) {
        return BigDecimal.valueOf(time.toSeconds())
                .multiply(BigDecimal.valueOf(nodes))
                .divide(BigDecimal.valueOf(3_600), 6, RoundingMode.DOWN)
                .max(BigDecimal.ZERO);
    }

    /** What was agreed, without the hours that are given back. */
    static Reservation.@Nullable AgreedQuote lessened(Reservation r, Plan now, BigDecimal unused) {
        Reservation.AgreedQuote quote = r.quote();
        if (quote == null) {
            return null;
        }
        Plan agreed = quote.plan();
        Plan less = AlteredPlan.withNodes(
                AlteredPlan.ending(agreed, now.window().end(), agreed.costing()),
                now.nodes(),
                AlteredPlan.less(agreed, unused));
        return new Reservation.AgreedQuote(quote.quoteId(), less, quote.agreedAt());
    }

    /** What was agreed, with the added lines; the plan that runs where the agreed one was of another currency. */
    static Reservation.@Nullable AgreedQuote agreed(Reservation r, Plan now, @Nullable Costing added, Instant at) {
        Reservation.AgreedQuote quote = r.quote();
        if (quote == null || added == null) {
            return quote;
        }
        Plan agreed = quote.plan();
        boolean sameMoney = agreed.costing().currency().equals(added.currency());
        Plan more =
                sameMoney ? AlteredPlan.withNodes(agreed, now.nodes(), AlteredPlan.plus(agreed.costing(), added)) : now;
        return new Reservation.AgreedQuote(quote.quoteId(), more, at);
    }

    // ---- limits -------------------------------------------------------------------------------------------

    /** Machines from stock whose cost ends when they do: more time is only a later end. */
    private boolean isPaidAsUsed(List<Claim> held, Plan plan) {
        boolean fromStock =
                held.stream().allMatch(claim -> claim.request().offer().term() == Term.NOW);
        boolean timed = held.stream().allMatch(ends::has);
        return fromStock && (timed || plan.costing().refundTerms().rule() == RefundTerms.Rule.PAY_PER_USE);
    }

    /** The latest end that the platform allows; null without a limit. */
    private @Nullable Instant limit(List<Claim> held, Plan plan) {
        if (isPaidAsUsed(held, plan)) {
            return platforms
                    .account(plan.account())
                    .map(account -> account.capabilities())
                    .map(Capabilities::maxTerm)
                    .map(longest -> plan.window().start().plus(longest))
                    .orElse(null);
        }
        return held.stream()
                .map(claim -> bought(claim, plan))
                .min(Instant::compareTo)
                .orElseThrow();
    }

    private static Instant bought(Claim claim, Plan plan) {
        boolean forward = claim.request().offer().term() == Term.FORWARD;
        Window bought = claim.bought();
        return forward || bought == null ? plan.usableEnd() : bought.end();
    }

    private ApiProblem beyond(Reservation r, Plan plan, List<Claim> held, Instant limit) {
        ZoneId zone = r.request().timeZone();
        Instant hour = limit.atZone(zone).truncatedTo(ChronoUnit.HOURS).toInstant();
        Instant longest = hour.isAfter(r.window().end()) ? hour : null;
        boolean term = isPaidAsUsed(held, plan);
        String until = longest == null ? "" : " until " + RequestJson.time(longest, zone) + " at most";
        String why = term
                ? plan.platform() + " rents a machine for a limited time"
                : plan.platform() + " has sold this period, and a bought period cannot be extended";
        String whyZh = term ? plan.platform() + " 的单次租期有上限" : plan.platform() + " 按固定时段售出，已购时段无法延长";
        return refusals.changeRefused(
                why + (longest == null ? "" : "; it can be kept" + until)
                        + ". Book the time after as a new reservation.",
                whyZh + (longest == null ? "" : "；最长可用至 " + RequestJson.time(longest, zone)) + "。请为之后的时间另行预订。",
                longest,
                List.of(),
                List.of(),
                zone);
    }

    private ApiProblem fixed(Plan plan) {
        return refusals.changeRefused(
                plan.platform()
                        + " ends these machines by itself at the time they were bought for, which cannot be moved."
                        + " Book what is added as a new reservation.",
                plan.platform() + " 会按购买时约定的时间自动结束机器，该时间无法修改。请另行预订新增时长。");
    }

    private ApiProblem notMoved(Plan plan) {
        return refusals.changeRefused(
                plan.platform() + " did not move the end; nothing was changed, try again.",
                plan.platform() + " 未能修改结束时间，预订保持不变，请重试。");
    }
}
