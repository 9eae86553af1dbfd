package dev.gpubroker.broker.quote;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.RefundTerms;
import java.util.Currency;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a plan costs.
 *
 * @param billing the adapter's name of the billing mode that was the cheapest; "" for pools
 * @param total the sum of the known lines; null when no price is known at all
 * @param from whether a line is unknown, so that the total is only a lower bound
 */
public record Costing(
        String billing,
        Currency currency,
        List<QuoteLine> lines,
        @Nullable Money total,
        boolean from,
        RefundTerms refundTerms) {
    public Costing {
        lines = List.copyOf(lines);
    }
}
