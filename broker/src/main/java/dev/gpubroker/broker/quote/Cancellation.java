package dev.gpubroker.broker.quote;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What it costs to give a booking back now; the same code tells it before and does it.
 *
 * @param fee lost by cancelling, beyond what was used
 * @param refund what comes back of what was paid
 * @param total what the booking will have cost in all
 */
public record Cancellation(Money fee, Money refund, Money total, RefundTerms terms) {
    public boolean isFree() {
        return fee.amount().signum() == 0;
    }

    /**
     * @param costing as agreed; nothing is owed where no total was known
     * @param taken the window that was bought; null where nothing was
     */
    public static Cancellation of(Costing costing, @Nullable Window taken, Instant now) {
        Money none = Money.zero(costing.currency());
        Money paid = costing.total();
        if (taken == null || paid == null) {
            return new Cancellation(none, none, none, costing.refundTerms());
        }
        Duration left = left(taken, now);
        switch (costing.refundTerms().rule()) {
            case PAY_PER_USE:
                return new Cancellation(
                        none, none, paid.minus(share(paid, left, taken.length())), costing.refundTerms());
            case UNUSED_HOURS:
                Money unused = share(paid, Duration.ofHours(left.toHours()), taken.length());
                Money fee = Money.rounded(
                        unused.amount()
                                .multiply(costing.refundTerms().feePercent())
                                .movePointLeft(2),
                        costing.currency());
                Money refund = unused.minus(fee);
                return new Cancellation(fee, refund, paid.minus(refund), costing.refundTerms());
            default:
                return new Cancellation(share(paid, left, taken.length()), none, paid, costing.refundTerms());
        }
    }

    private static Duration left(Window taken, Instant now) {
        if (!now.isAfter(taken.start())) {
            return taken.length();
        }
        return now.isBefore(taken.end()) ? Duration.between(now, taken.end()) : Duration.ZERO;
    }

    private static Money share(Money whole, Duration part, Duration of) {
        BigDecimal exact = whole.amount()
                .multiply(BigDecimal.valueOf(part.toSeconds()))
                .divide(BigDecimal.valueOf(of.toSeconds()), whole.amount().scale(), RoundingMode.HALF_EVEN);
        return new Money(exact, whole.currency());
    }
}
