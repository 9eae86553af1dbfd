package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.planning.Acquisition;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.planning.Stretch;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.BookingRequest.OnUnavailable;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Decides what a booking comes to, from the plans and the clock alone. Pure. */
final class BookingDecision {
    static final String HELD_PLACE = "held_place";
    static final String HIGHER_PRICE = "higher_price";

    /** An owner is given this long to answer, if the start leaves so much. */
    private static final Duration TIME_TO_ANSWER = Duration.ofHours(24);

    private static final Duration LEAST_TIME_TO_ANSWER = Duration.ofMinutes(10);

    private final BookingRequest request;
    private final Planning planning;
    private final Policy policy;
    private final Instant now;
    private final Supplier<String> newQuoteId;

    BookingDecision(
            BookingRequest request, Planning planning, Policy policy, Instant now, Supplier<String> newQuoteId) {
        this.request = request;
        this.planning = planning;
        this.policy = policy;
        this.now = now;
        this.newQuoteId = newQuoteId;
    }

    /** The first plan that fits; else a stand-in as the request allows; else the wait. */
    BookingOutcome decide() {
        Optional<Plan> inStock = planning.first(plan -> plan.isExact() && plan.stock() != Plan.StockView.SOLD_OUT);
        if (inStock.isPresent()) {
            return act(inStock.get(), null);
        }
        Optional<Plan> waiting = planning.first(Plan::isExact);
        Optional<Plan> standIn = planning.first(plan -> !plan.isExact() && mayStandIn(plan));
        if (waiting.isPresent() && !refuses()) {
            return act(waiting.get(), standIn.orElse(null));
        }
        if (standIn.isPresent()) {
            return standIn(standIn.get());
        }
        Optional<Plan> toAsk = planning.first(plan -> !plan.isExact() && plan.stock() != Plan.StockView.SOLD_OUT);
        if (toAsk.isPresent() && request.substitution().mode() != Substitution.Mode.NEVER) {
            return new BookingOutcome.Ask(proposed(toAsk.get()));
        }
        Optional<Plan> dearer =
                planning.aboveLimit().stream().filter(Plan::isExact).findFirst();
        if (dearer.isPresent() && !refuses()) {
            return new BookingOutcome.Ask(higherPrice(dearer.get()));
        }
        if (!planning.possible() && planning.plans().isEmpty()) {
            return new BookingOutcome.NotEligible();
        }
        return refuses() ? new BookingOutcome.NoCapacity() : new BookingOutcome.Wait(null, null, nextOfWait());
    }

    /** The caller picked this very plan. */
    BookingOutcome act(Plan plan) {
        return act(plan, null);
    }

    private boolean mayStandIn(Plan plan) {
        return request.substitution().mode() == Substitution.Mode.AUTO
                && plan.substitution() != null
                && !plan.substitution().asks()
                && plan.stock() != Plan.StockView.SOLD_OUT;
    }

    private BookingOutcome act(Plan plan, @org.jspecify.annotations.Nullable Plan planned) {
        switch (plan.acquisition()) {
            case POOL:
                return new BookingOutcome.Take(plan);
            case FORWARD:
            case HOLD_EARLY:
                return new BookingOutcome.Order(plan);
            default:
                return new BookingOutcome.Wait(
                        plan, planned, plan.stock() == Plan.StockView.SOLD_OUT ? nextOfWait() : nextOfOrder());
        }
    }

    /** Fixed on its date, until which the asked model is watched; taken now if that date has passed. */
    private BookingOutcome standIn(Plan plan) {
        if (now.isBefore(decideAt())) {
            return new BookingOutcome.Wait(plan, plan, new Reservation.NextAction("decide_fallback", decideAt()));
        }
        BookingOutcome outcome = act(plan, plan);
        return outcome instanceof BookingOutcome.Wait wait
                ? new BookingOutcome.Wait(plan, plan, nextOfOrder())
                : outcome;
    }

    /** A stand-in. Its place in an own pool is held while the owner is asked; what a platform sells is not. */
    Reservation.Proposal proposed(Plan plan) {
        return plan.acquisition() == Acquisition.POOL ? heldPlace(plan) : substitute(plan);
    }

    private Reservation.Proposal substitute(Plan plan) {
        Why text = text(plan);
        return new Reservation.Proposal(
                "substitute",
                text.english() + " The place is not held while you decide: others may buy it first.",
                text.chinese() + "等待答复期间不保留名额，可能被他人先买走。",
                newQuoteId.get(),
                plan,
                answerBy());
    }

    Reservation.Proposal heldPlace(Plan plan) {
        Why text = text(plan);
        Instant day = answerBy();
        Instant by = now.plus(policy.heldPlace());
        return new Reservation.Proposal(
                HELD_PLACE,
                "a place in pool " + plan.sku() + " is held: " + text.english(),
                "资源池 " + plan.sku() + " 中的名额已保留：" + text.chinese(),
                newQuoteId.get(),
                plan,
                by.isBefore(day) ? by : day);
    }

    private Why text(Plan plan) {
        Plan.StandIn standIn = java.util.Objects.requireNonNull(plan.substitution());
        Why more = whatMoreCosts(plan);
        return new Why(
                plan.gpus() + "×" + standIn.to() + " in place of " + standIn.from() + ": " + standIn.reason()
                        + more.english(),
                "以 " + plan.gpus() + "×" + standIn.to() + " 代替 " + standIn.from() + "：" + standIn.reasonZh()
                        + more.chinese());
    }

    /** The price of the GPUs and hours that were not asked for, as their part of all. */
    private Why whatMoreCosts(Plan plan) {
        Stretch stretch = plan.stretch();
        Money total = plan.costing().total();
        if (stretch == null || total == null) {
            return new Why("", "");
        }
        BigDecimal share = stretch.share(request.window().start());
        Money more = Money.rounded(total.amount().multiply(share), total.currency());
        return new Why(
                " Of the price of " + total + ", " + more + " are for what it takes beyond what was asked.",
                "总价 " + total + " 中，超出原请求的部分为 " + more + "。");
    }

    Reservation.Proposal higherPrice(Plan plan) {
        Money total = plan.costing().total();
        Money limit = request.maxTotal();
        return new Reservation.Proposal(
                HIGHER_PRICE,
                "the price is now " + total + ", above " + (limit == null ? "what was agreed" : "the limit of " + limit)
                        + "; nothing has been bought",
                "现价为 " + total + "，高于" + (limit == null ? "约定上限" : "上限 " + limit) + "；尚未下单",
                newQuoteId.get(),
                plan,
                answerBy());
    }

    /** Before the start where that leaves time; else until the wait has run out, since nothing else will be bought. */
    private Instant answerBy() {
        Instant day = now.plus(TIME_TO_ANSWER);
        Instant start = request.window().start();
        Instant last = now.plus(LEAST_TIME_TO_ANSWER).isBefore(start) ? start : runsOutAt();
        Instant by = day.isBefore(last) ? day : last;
        return by.isAfter(now) ? by : now.plus(LEAST_TIME_TO_ANSWER);
    }

    private Instant runsOutAt() {
        Instant graced = request.window().start().plus(policy.startGrace());
        return graced.isBefore(request.window().end())
                ? graced
                : request.window().end();
    }

    private boolean refuses() {
        OnUnavailable wish = request.onUnavailable();
        boolean onlyPools = request.constraints().platforms().equals(Set.of("pool"));
        return wish == null ? onlyPools : wish == OnUnavailable.REFUSE;
    }

    Instant decideAt() {
        return latest(now, request.window().start().minus(policy.decideBefore()));
    }

    private Instant orderAt() {
        return latest(now, request.window().start().minus(policy.acquireLead()));
    }

    private Reservation.NextAction nextOfOrder() {
        return new Reservation.NextAction("order", orderAt());
    }

    private Reservation.NextAction nextOfWait() {
        return now.isBefore(decideAt())
                ? new Reservation.NextAction(onDecisionDate(request), decideAt())
                : nextOfOrder();
    }

    /** What comes on the fallback's date: where no other model may stand in there is nothing to decide. */
    static String onDecisionDate(BookingRequest request) {
        return request.substitution().mode() == Substitution.Mode.NEVER ? "watch_stock" : "decide_fallback";
    }

    private static Instant latest(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    static boolean isBoughtNow(Plan plan) {
        return plan.acquisition() == Acquisition.FORWARD || plan.acquisition() == Acquisition.HOLD_EARLY;
    }
}
