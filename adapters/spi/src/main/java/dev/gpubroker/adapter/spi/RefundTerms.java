package dev.gpubroker.adapter.spi;

import java.math.BigDecimal;

/**
 * What comes back when capacity is given back early; data, not prose.
 *
 * @param rule how the unused part is treated
 * @param feePercent of the refunded part, 0 to 100
 * @param source where this is written, with its date
 */
public record RefundTerms(Rule rule, BigDecimal feePercent, String source) {
    public RefundTerms {
        if (feePercent.signum() < 0 || feePercent.compareTo(BigDecimal.valueOf(100)) > 0) {
            throw new IllegalArgumentException("a fee is 0 to 100 percent: " + feePercent);
        }
    }

    public enum Rule {
        /** Only what was used is charged: stopping ends the cost. */
        PAY_PER_USE,
        /** Unused whole hours come back, less the fee. */
        UNUSED_HOURS,
        /** Nothing comes back. */
        NONE
    }
}
