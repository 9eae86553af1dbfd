package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.planning.Certainty;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.quote.Quoter;
import dev.gpubroker.broker.request.BookingRequest;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What may be spent on a reservation: its own limit, else the quote plus some percent. The asked model and each stand-in
 * have a cap of their own, so that a cheap stand-in does not keep the asked model from being taken when it appears. Pure.
 */
final class Caps {
    private static final String ASKED = "asked";
    private static final int PLACES = 12;

    private final Quoter quoter;
    private final int percent;

    Caps(Quoter quoter, int percent) {
        this.quoter = quoter;
        this.percent = percent;
    }

    /**
     * Terms for a booking of {@code chosen}. A plan in stock binds the asked model to its own price; where the asked model
     * is only waited for, nobody knows which platform will have it, and the dearest that was priced binds.
     */
    Terms agreed(Terms terms, @Nullable Plan chosen, Planning planning, @Nullable Money maxTotal) {
        if (maxTotal != null) {
            return terms;
        }
        Terms capped = terms;
        boolean firm = chosen != null && chosen.isExact() && chosen.stock() != Plan.StockView.SOLD_OUT;
        List<Plan> asked = firm
                ? List.of(chosen)
                : Stream.concat(planning.plans().stream(), planning.watched().stream())
                        .filter(plan ->
                                plan.isExact() && !plan.needsPick() && plan.certainty() == Certainty.BEST_EFFORT)
                        .toList();
        for (Plan plan : asked) {
            capped = raised(capped, ASKED, plan);
        }
        for (Plan plan : planning.plans()) {
            String model = plan.flavor().model();
            if (!plan.isExact() && !plan.needsPick() && !capped.caps().containsKey(model)) {
                capped = raised(capped, model, plan);
            }
        }
        return chosen != null && !chosen.isExact()
                ? raised(capped, chosen.flavor().model(), chosen)
                : capped;
    }

    /** Binds the first price that is seen of a model which had none. */
    Terms seen(Terms terms, Plan plan, @Nullable Money maxTotal) {
        return maxTotal != null || terms.caps().containsKey(key(plan)) ? terms : raised(terms, key(plan), plan);
    }

    /** The owner agreed to this very plan. */
    Terms accepted(Terms terms, Plan plan) {
        return raised(terms, key(plan), plan);
    }

    private Terms raised(Terms terms, String key, Plan plan) {
        Money total = plan.costing().total();
        if (total == null) {
            return terms;
        }
        Money cap = plus(total, percent);
        Money before = terms.caps().get(key);
        return before == null || quoter.isDearer(cap, before) ? terms.capped(key, cap) : terms;
    }

    private static String key(Plan plan) {
        return plan.isExact() ? ASKED : plan.flavor().model();
    }

    /**
     * The cap that binds a plan: its model's; for another stand-in the highest that was agreed. Empty where no price of the
     * asked model was known: the first one that is seen binds from then on.
     */
    Optional<Money> of(Plan plan, Terms terms, @Nullable Money maxTotal) {
        if (maxTotal != null) {
            return Optional.of(maxTotal);
        }
        Money own = terms.caps().get(key(plan));
        if (own != null) {
            return Optional.of(own);
        }
        if (plan.isExact()) {
            return Optional.empty();
        }
        return terms.caps().values().stream().reduce((one, other) -> quoter.isDearer(one, other) ? one : other);
    }

    /**
     * What more of the same may cost: the rate that was agreed, plus the percent. Empty where no price was known.
     *
     * @param added node-seconds, as {@code whole}, which is what the plan's total was for
     */
    Optional<Money> ofMore(Plan plan, BigDecimal added, BigDecimal whole) {
        Money total = plan.costing().total();
        if (total == null) {
            return Optional.empty();
        }
        BigDecimal share = total.amount().multiply(added).divide(whole, PLACES, RoundingMode.CEILING);
        return Optional.of(plus(
                new Money(
                        share.setScale(total.currency().getDefaultFractionDigits(), RoundingMode.CEILING),
                        total.currency()),
                percent));
    }

    /** The owner agreed to more of the same: the cap grows by what that may cost. */
    Terms grown(Terms terms, Plan plan, Money added) {
        Money before = terms.caps().get(key(plan));
        Money more = plus(added, percent);
        return before == null || !before.currency().equals(more.currency())
                ? terms
                : terms.capped(key(plan), before.plus(more));
    }

    /** The owner gave part of it back: what is left binds as it would have been agreed. */
    Terms lessened(Terms terms, Plan left) {
        Money total = left.costing().total();
        return total == null || !terms.caps().containsKey(key(left))
                ? terms
                : terms.capped(key(left), plus(total, percent));
    }

    /**
     * The most that may be bought for a reservation, machines that are still to come included. Empty where that is not bound
     * yet: the asked model's price is not known, or prices are in several currencies.
     */
    Optional<Money> most(Reservation r) {
        Money own = r.request().maxTotal();
        if (own != null) {
            return Optional.of(own);
        }
        Plan plan = r.plan();
        if (plan != null && plan.platform().equals("pool") && !r.state().isWaiting()) {
            return Optional.ofNullable(plan.costing().total());
        }
        List<Money> binding = r.terms().caps().entrySet().stream()
                .filter(cap -> mayBeBoughtUnasked(r, cap.getKey()))
                .map(Map.Entry::getValue)
                .toList();
        if (!r.terms().caps().containsKey(ASKED)
                || binding.stream().map(Money::currency).distinct().count() > 1) {
            return Optional.empty();
        }
        Optional<Money> agreed = binding.stream().reduce((one, other) -> one.isMoreThan(other) ? one : other);
        if (r.pending() == null) {
            return agreed;
        }
        Money added = r.pending().added().total();
        return added == null
                ? Optional.empty()
                : agreed.filter(cap -> cap.currency().equals(added.currency()))
                        .map(cap -> cap.plus(plus(added, percent)));
    }

    /** The others are proposed, and accepting a proposal is counted by itself. */
    private static boolean mayBeBoughtUnasked(Reservation r, String key) {
        return key.equals(ASKED)
                || r.request().substitution().mode() == BookingRequest.Substitution.Mode.AUTO
                || r.terms().agreed().contains(key)
                || (r.plan() != null && key.equals(key(r.plan())));
    }

    boolean isDearer(Money one, Money other) {
        return quoter.isDearer(one, other);
    }

    boolean isOver(Plan plan, Terms terms, @Nullable Money maxTotal) {
        Money total = plan.costing().total();
        return total != null
                && of(plan, terms, maxTotal)
                        .map(cap -> quoter.isDearer(total, cap))
                        .orElse(false);
    }

    static Money plus(Money total, int percent) {
        return Money.rounded(
                total.amount().multiply(BigDecimal.valueOf(100L + percent)).movePointLeft(2), total.currency());
    }
}
