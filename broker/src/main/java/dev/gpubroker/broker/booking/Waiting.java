package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.planning.Acquisition;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import dev.gpubroker.broker.schedule.DueHandler.Hold;
import dev.gpubroker.broker.schedule.DueHandler.Next;
import dev.gpubroker.broker.stored.Ids;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a queued or offered reservation does next: lets a proposal lapse, decides the fallback on its date, buys at the
 * right moment, tries again, or runs out.
 */
final class Waiting {
    /** Between two tries to buy while the start is due: stock that went a minute ago is seldom back in seconds. */
    private static final Duration RETRY = Duration.ofMinutes(5);
    /** After a refusal another platform may have it: tried soon. */
    private static final Duration SOON = Duration.ofSeconds(20);

    private final PlanDesk desk;
    private final Line line;
    private final Purchase purchase;
    private final Transition transition;
    private final Caps caps;
    private final Supplier<Policy> policy;

    private static final Why TOO_DEAR = new Why("the price is above what was agreed", "价格高于约定");

    Waiting(PlanDesk desk, Line line, Purchase purchase, Transition transition, Caps caps, Supplier<Policy> policy) {
        this.desk = desk;
        this.line = line;
        this.purchase = purchase;
        this.transition = transition;
        this.caps = caps;
        this.policy = policy;
    }

    Future<Optional<Next>> step(Reservation r, Hold hold, Instant now) {
        Instant runsOut = r.runsOutAt(policy.get().startGrace());
        if (!now.isBefore(runsOut)) {
            return r.wasClaimed()
                    ? transition.giveUp(
                            r,
                            hold,
                            ReservationState.FAILED,
                            new Why("nothing could be had until the window ran out", "直到时段结束都没有可用资源"))
                    : transition.write(
                            r,
                            hold,
                            new Why("nothing could be had until the start's grace ran out", "开始时间的宽限期已过，仍没有可用资源"),
                            edit -> edit.state(ReservationState.EXPIRED));
        }
        if (r.state() == ReservationState.OFFERED) {
            Instant expires = Objects.requireNonNull(r.proposal(), "an offered reservation has a proposal")
                    .expiresAt();
            if (now.isBefore(expires)) {
                return now.isBefore(orderAt(r)) || Transition.holdsAPlace(r)
                        ? Future.succeededFuture(Next.at(earliest(expires, runsOut)))
                        : unlessAnswered(r, hold, now, earliest(expires, runsOut));
            }
            return transition.write(
                    r,
                    hold,
                    new Why("the proposal lapsed; it waits for the asked model", "提议已过期，继续等待原型号"),
                    edit -> backToQueue(edit, r, r.terms()::lapse, now));
        }
        Instant due = r.next() == null ? now : r.next().at();
        if (now.isBefore(due)) {
            return Future.succeededFuture(Next.at(earliest(due, runsOut)));
        }
        boolean buys = !now.isBefore(orderAt(r));
        return look(r).compose(deliberation ->
                buys ? order(r, deliberation.planning(), hold, now) : decide(r, deliberation, hold, now));
    }

    /** The start has come and its owner has not answered: what was agreed before is still taken if it can be had. */
    private Future<Optional<Next>> unlessAnswered(Reservation r, Hold hold, Instant now, Instant end) {
        return look(r).compose(deliberation -> {
            Optional<Plan> affordable =
                    affordable(r, possible(r, deliberation.planning().plans()));
            return affordable.isPresent() && !isOutOfAttempts(r)
                    ? buy(r, affordable.get(), deliberation.planning(), hold, now)
                    : Future.succeededFuture(Next.at(earliest(now.plus(RETRY), end)));
        });
    }

    /** What could be had now, less what is kept for those who stand in front of it in the line. */
    private Future<PlanDesk.Deliberation> look(Reservation r) {
        return desk.deliberate(r.team(), r.request())
                .compose(seen -> line.forWaiter(r, seen.planning())
                        .map(left -> new PlanDesk.Deliberation(left.planning(), seen.snapshot())));
    }

    private static List<Plan> possible(Reservation r, List<Plan> plans) {
        return plans.stream()
                .filter(plan -> !plan.needsPick() && plan.stock() != Plan.StockView.SOLD_OUT)
                .filter(plan -> plan.isExact() || maySubstitute(plan, r))
                .toList();
    }

    /** What was planned and shown is kept where it is still to be had: another account has other defaults, and its own bill. */
    private Optional<Plan> affordable(Reservation r, List<Plan> possible) {
        List<Plan> affordable = possible.stream()
                .filter(plan -> plan.acquisition() == Acquisition.POOL
                        || (plan.costing().total() != null
                                && !caps.isOver(plan, r.terms(), r.request().maxTotal())))
                .toList();
        return kept(affordable, r.plan());
    }

    /** @param affordable the best first */
    static Optional<Plan> kept(List<Plan> affordable, @Nullable Plan planned) {
        Optional<Plan> first = affordable.stream().findFirst();
        if (planned == null || first.isEmpty() || first.get().acquisition() == Acquisition.POOL) {
            return first;
        }
        return affordable.stream()
                .filter(plan -> plan.isExact() == first.get().isExact() && isOfOneAccount(plan, planned))
                .findFirst()
                .or(() -> first);
    }

    private static boolean isOfOneAccount(Plan one, Plan other) {
        return one.account().equals(other.account()) && one.flavor().equals(other.flavor());
    }

    private static Why ordered(Reservation r, Plan plan) {
        Why ordered = new Why("ordered on " + plan.platform(), "已向 " + plan.platform() + " 下单");
        Plan planned = r.plan();
        return planned == null || planned.account().equals(plan.account())
                ? ordered
                : ordered.and(
                        "account " + plan.account() + " in place of " + planned.account() + ", which has it no more",
                        "账户由 " + planned.account() + " 改为 " + plan.account() + "，原账户已无货");
    }

    /**
     * A look between the dates, while the asked model is waited for: what can be had for certain is bought, what came into
     * stock is planned with again.
     */
    Future<Void> watch(Reservation r, Hold hold, Instant now) {
        boolean waits = r.plan() == null || r.plan().stock() == Plan.StockView.SOLD_OUT || r.standIn() != null;
        if (r.state() != ReservationState.QUEUED || !waits || !now.isBefore(orderAt(r))) {
            return Future.succeededFuture();
        }
        return look(r).compose(deliberation -> {
            Planning planning = deliberation.planning();
            Optional<Plan> asked = planning.first(plan -> plan.isExact()
                    && plan.stock() != Plan.StockView.SOLD_OUT
                    && !caps.isOver(plan, r.terms(), r.request().maxTotal()));
            if (asked.isEmpty()) {
                return Future.succeededFuture();
            }
            return asked.get().acquisition() == Acquisition.JUST_IN_TIME
                    ? plan(r, asked.get(), planning, hold, now, new Why("the asked model is in stock again", "原型号重新有货"))
                            .mapEmpty()
                    : buy(r, asked.get(), planning, hold, now).mapEmpty();
        });
    }

    /** Declined or lapsed: queued for the asked model; {@code answered} notes how a stand-in was answered. */
    Edit backToQueue(Edit edit, Reservation r, Function<String, Terms> answered, Instant now) {
        Reservation.Proposal proposal = r.proposal();
        Terms terms = proposal == null || proposal.plan().isExact()
                ? r.terms()
                : answered.apply(proposal.plan().flavor().model());
        Instant next =
                now.isBefore(decideAt(r)) ? decideAt(r) : now.isBefore(orderAt(r)) ? orderAt(r) : now.plus(RETRY);
        return edit.state(ReservationState.QUEUED)
                .terms(terms)
                .proposal(null)
                .plan(null)
                .standIn(null)
                .nodes(List.of())
                .joined(r.joinedAt() == null ? now : r.joinedAt())
                .next(now.isBefore(decideAt(r)) ? BookingDecision.onDecisionDate(r.request()) : "order", next);
    }

    // ---- the fallback's date ------------------------------------------------------------------------------

    /** Until now the asked model was watched: it is taken if it is there, else a stand-in is fixed or proposed, or the wait goes on. */
    private Future<Optional<Next>> decide(Reservation r, PlanDesk.Deliberation deliberation, Hold hold, Instant now) {
        Planning planning = deliberation.planning();
        Optional<Plan> asked = planning.first(plan -> plan.isExact() && plan.stock() != Plan.StockView.SOLD_OUT);
        if (asked.isPresent()) {
            return planOrBuy(
                    r,
                    asked.get(),
                    planning,
                    hold,
                    now,
                    new Why("the asked model is in stock; it is bought at the start", "原型号有货，将在开始时购买"));
        }
        Optional<Plan> standIn = planning.first(plan -> maySubstitute(plan, r));
        if (standIn.isPresent()) {
            return planOrBuy(
                    r,
                    standIn.get(),
                    planning,
                    hold,
                    now,
                    new Why("the fallback is decided: the stand-in is bought at the start", "已决定采用替代型号，将在开始时购买"));
        }
        Optional<Plan> proposed = planning.first(plan -> mayPropose(plan, r));
        boolean incomplete = deliberation.snapshot().answers().stream().anyMatch(answer -> answer.silence() != null);
        if (proposed.isEmpty() && incomplete && now.plus(RETRY).isBefore(orderAt(r))) {
            return transition.write(
                    r,
                    hold,
                    new Why("a platform did not answer; decided in a moment", "有平台没有答复，稍后再决定"),
                    edit -> edit.next(BookingDecision.onDecisionDate(r.request()), now.plus(RETRY)));
        }
        return proposed.map(plan ->
                        propose(r, plan, planning, hold, now, new Why("the asked model did not appear", "原型号一直没有货")))
                .orElseGet(() -> transition.write(
                        r,
                        hold,
                        new Why("the wait for the asked model goes on", "继续等待原型号"),
                        edit -> edit.terms(r.terms().decided(now))
                                .explanation(planning.explanation())
                                .next("order", orderAt(r))));
    }

    /** What is sold ahead is bought now, and nothing is bought above what was agreed. */
    private Future<Optional<Next>> planOrBuy(
            Reservation r, Plan plan, Planning planning, Hold hold, Instant now, Why why) {
        if (plan.acquisition() == Acquisition.JUST_IN_TIME) {
            return plan(r, plan, planning, hold, now, why);
        }
        return plan.acquisition() != Acquisition.POOL
                        && caps.isOver(plan, r.terms(), r.request().maxTotal())
                ? offer(r, decision(r, planning, now).higherPrice(plan), hold, TOO_DEAR)
                : buy(r, plan, planning, hold, now);
    }

    private Future<Optional<Next>> plan(Reservation r, Plan plan, Planning planning, Hold hold, Instant now, Why why) {
        return transition.write(
                r,
                hold,
                why,
                edit -> edit.plan(plan)
                        .standIn(standIn(plan, false))
                        .terms(caps.seen(
                                r.terms().decided(now), plan, r.request().maxTotal()))
                        .explanation(planning.explanation())
                        .next("order", orderAt(r)));
    }

    // ---- buying -------------------------------------------------------------------------------------------

    private Future<Optional<Next>> order(Reservation r, Planning planning, Hold hold, Instant now) {
        if (isOutOfAttempts(r)) {
            return transition.write(
                    r,
                    hold,
                    new Why("every attempt allowed was refused", "允许的购买尝试均被拒绝"),
                    edit -> edit.state(r.wasClaimed() ? ReservationState.FAILED : ReservationState.EXPIRED));
        }
        List<Plan> possible = possible(r, planning.plans());
        Optional<Plan> affordable = affordable(r, possible);
        if (affordable.isPresent()) {
            return buy(r, affordable.get(), planning, hold, now);
        }
        BookingDecision decision = decision(r, planning, now);
        Optional<Plan> dearer = Stream.concat(possible.stream(), possible(r, planning.aboveLimit()).stream())
                .findFirst();
        if (dearer.isPresent()) {
            return offer(r, decision.higherPrice(dearer.get()), hold, TOO_DEAR);
        }
        return planning.first(plan -> mayPropose(plan, r))
                .map(plan -> propose(
                        r,
                        plan,
                        planning,
                        hold,
                        now,
                        new Why("the asked model is not in stock at the start", "开始时原型号无货")))
                .orElseGet(() -> transition
                        .write(
                                r,
                                hold,
                                new Why("nothing in stock yet; tried again", "目前没有库存，将再次尝试"),
                                edit -> edit.plan(null)
                                        .standIn(null)
                                        .explanation(planning.explanation())
                                        .next("order", now.plus(RETRY)))
                        .map(done -> Next.at(now.plus(RETRY))));
    }

    private Future<Optional<Next>> buy(Reservation r, Plan plan, Planning planning, Hold hold, Instant now) {
        if (plan.acquisition() == Acquisition.POOL) {
            return takePlace(r, plan, planning, hold, now);
        }
        return purchase.nextAttempt(r).compose(attempt -> buy(r, plan, planning, attempt, hold, now));
    }

    private Future<Optional<Next>> buy(
            Reservation r, Plan plan, Planning planning, int attempt, Hold hold, Instant now) {
        return transition.write(
                r,
                hold,
                ordered(r, plan),
                edit -> edit.state(ReservationState.ORDERING)
                        .proposal(null)
                        .plan(plan)
                        .standIn(standIn(plan, false))
                        .attempts(attempt)
                        .terms(r.terms().decided(now))
                        .explanation(planning.explanation())
                        .next("settle", now),
                connection -> purchase.intend(connection, r, plan, attempt, now));
    }

    private Future<Optional<Next>> takePlace(Reservation r, Plan plan, Planning planning, Hold hold, Instant now) {
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
                                .standIn(standIn(plan, true))
                                .nodes(ReservationStep.assigned(places))
                                .explanation(planning.explanation())
                                .next("start", r.window().start()))
                .compose(taken -> taken
                        ? line.forWaiter(r, Planning.of(plan))
                                .compose(line::letDown)
                                .map(done -> Next.at(now))
                        : Future.succeededFuture(Next.at(now.plus(SOON))));
    }

    /** A place in an own pool is held for the answer. */
    private Future<Optional<Next>> propose(
            Reservation r, Plan plan, Planning planning, Hold hold, Instant now, Why why) {
        Reservation.Proposal proposal = decision(r, planning, now).proposed(plan);
        return plan.acquisition() == Acquisition.POOL
                ? transition.hold(r, hold, plan, planning, proposal).map(taken -> Next.at(taken ? now : now.plus(SOON)))
                : offer(r, proposal, hold, why);
    }

    private Future<Optional<Next>> offer(Reservation r, Reservation.Proposal proposal, Hold hold, Why why) {
        return transition.write(
                r,
                hold,
                why,
                edit -> edit.state(ReservationState.OFFERED)
                        .proposal(proposal)
                        .next("accept_or_decline", proposal.expiresAt()));
    }

    /** Refused, or never delivered; every claim of the attempt is confirmed gone by now. */
    Future<Optional<Next>> attemptFailed(Reservation r, List<Claim> attempt, Hold hold, Instant now) {
        Why why = Why.lost(attempt, new Why("the attempt failed", "购买未成功"));
        Instant runsOut = r.runsOutAt(policy.get().startGrace());
        boolean heldBack = attempt.stream().allMatch(Claim::wasNeverSent);
        boolean over = !now.isBefore(runsOut) || isOutOfAttempts(r);
        if (over) {
            return transition.write(
                    r,
                    hold,
                    why.and("no attempt is left", "已没有剩余的尝试次数"),
                    edit -> edit.state(r.wasClaimed() ? ReservationState.FAILED : ReservationState.EXPIRED));
        }
        boolean purchasesOff = attempt.stream().anyMatch(claim -> claim.reason() == Reason.PURCHASES_OFF);
        boolean soldAhead = r.plan() != null && BookingDecision.isBoughtNow(r.plan());
        Instant soon = now.plus(purchasesOff ? RETRY : SOON);
        Instant next = now.isBefore(orderAt(r)) && !soldAhead ? orderAt(r) : soon;
        return transition.write(
                r,
                hold,
                why,
                edit -> edit.state(ReservationState.QUEUED)
                        .terms(heldBack ? r.terms().heldBack() : r.terms())
                        .plan(null)
                        .standIn(null)
                        .joined(r.createdAt())
                        .next("order", next));
    }

    // ---- what may stand in --------------------------------------------------------------------------------

    private static boolean maySubstitute(Plan plan, Reservation r) {
        Plan.StandIn standIn = plan.substitution();
        if (standIn == null || plan.stock() == Plan.StockView.SOLD_OUT) {
            return false;
        }
        return r.terms().agreed().contains(standIn.to())
                || (r.request().substitution().mode() == Substitution.Mode.AUTO
                        && !standIn.asks()
                        && !r.terms().isTurnedDown(standIn.to()));
    }

    private static boolean mayPropose(Plan plan, Reservation r) {
        Plan.StandIn standIn = plan.substitution();
        return standIn != null
                && plan.stock() != Plan.StockView.SOLD_OUT
                && r.request().substitution().mode() != Substitution.Mode.NEVER
                && !r.terms().isTurnedDown(standIn.to());
    }

    static Reservation.@Nullable Substituted standIn(Plan plan, boolean last) {
        return plan.substitution() == null ? null : new Reservation.Substituted(plan.substitution(), last);
    }

    private BookingDecision decision(Reservation r, Planning planning, Instant now) {
        return new BookingDecision(r.request(), planning, policy.get(), now, () -> Ids.next("quo", now));
    }

    private boolean isOutOfAttempts(Reservation r) {
        return r.attempts() - r.terms().unsent() >= policy.get().attempts();
    }

    private Instant decideAt(Reservation r) {
        return r.window().start().minus(policy.get().decideBefore());
    }

    Instant orderNoEarlierThan(Reservation r, Instant now) {
        return now.isBefore(orderAt(r)) ? orderAt(r) : now;
    }

    private Instant orderAt(Reservation r) {
        return r.window().start().minus(policy.get().acquireLead());
    }

    private static Instant earliest(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }
}
