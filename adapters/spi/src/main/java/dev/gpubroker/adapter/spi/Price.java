package dev.gpubroker.adapter.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One way to pay for an offer: a platform may answer several (by the hour, by the week), the broker takes the cheapest
 * that covers the window.
 *
 * @param billing the adapter's own name of the billing mode, handed back in the claim
 * @param billed what is paid for, at least the window asked
 * @param lines every part of the price that the platform states for all machines together, and every part it leaves open
 */
public record Price(String billing, Window billed, List<Line> lines) {
    public Price {
        lines = List.copyOf(lines);
    }

    /**
     * A priced part. The broker computes {@code quantity × unitPrice} and rounds it once.
     *
     * @param unit what one of the quantity is, such as {@code GPU-hour}, {@code instance-hour}, {@code GB-month}
     * @param quantity at most 12 places
     * @param unitPrice at most 12 places; null when the platform charges for it but does not say how much
     * @param currency ISO 4217
     */
    public record Line(
            LineKind kind,
            String description,
            String unit,
            java.math.BigDecimal quantity,
            java.math.@Nullable BigDecimal unitPrice,
            String currency) {}
}
