package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.quote.Quoter;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What may be spent on a reservation: its own limit, else the quote of each model plus some percent. Pure. */
final class Caps {
    private Caps() {}

    /** The cap of each model, from the cheapest plan that has a price. */
    static Terms agreed(Terms terms, Collection<Plan> plans, @Nullable Money maxTotal, int percent, Quoter quoter) {
        Terms capped = terms;
        for (Plan plan : plans) {
            Money total = plan.costing().total();
            if (total == null) {
                continue;
            }
            String model = plan.flavor().model();
            Money cap = maxTotal != null ? maxTotal : plus(total, percent);
            Money before = capped.caps().get(model);
            if (before == null || quoter.isDearer(before, cap)) {
                capped = capped.capped(model, cap);
            }
        }
        return capped;
    }

    /** The cap that binds a plan: its model's, else the highest that was agreed; empty when no price was ever known. */
    static Optional<Money> of(Plan plan, Terms terms, @Nullable Money maxTotal, Quoter quoter) {
        if (maxTotal != null) {
            return Optional.of(maxTotal);
        }
        Map<String, Money> caps = terms.caps();
        Money own = caps.get(plan.flavor().model());
        if (own != null) {
            return Optional.of(own);
        }
        return caps.values().stream().reduce((one, other) -> quoter.isDearer(one, other) ? one : other);
    }

    static boolean isOver(Plan plan, Terms terms, @Nullable Money maxTotal, Quoter quoter) {
        Money total = plan.costing().total();
        return total != null
                && of(plan, terms, maxTotal, quoter)
                        .map(cap -> quoter.isDearer(total, cap))
                        .orElse(false);
    }

    static Money plus(Money total, int percent) {
        return Money.rounded(
                total.amount().multiply(BigDecimal.valueOf(100L + percent)).movePointLeft(2), total.currency());
    }
}
