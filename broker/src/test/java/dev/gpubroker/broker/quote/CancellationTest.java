package dev.gpubroker.broker.quote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Currency;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class CancellationTest {
    private static final Window WINDOW = Window.of(Instant.parse("2026-12-20T00:00:00Z"), Duration.ofHours(100));

    private static Costing paid(String amount, RefundTerms.Rule rule, int feePercent) {
        return new Costing(
                "hour",
                Currency.getInstance("CNY"),
                List.of(),
                Money.of(amount, "CNY"),
                false,
                new RefundTerms(rule, BigDecimal.valueOf(feePercent), "test"));
    }

    @Test
    void halfAsFeeAddsUpWithTheRefundToTheCent() {
        Cancellation cancellation =
                Cancellation.of(paid("230.87", RefundTerms.Rule.UNUSED_HOURS, 50), WINDOW, WINDOW.start());

        assertThat(cancellation.fee().plus(cancellation.refund())).isEqualTo(Money.of("230.87", "CNY"));
    }

    @Test
    void payPerUseCostsWhatWasUsedAndIsFreeToCancel() {
        Cancellation cancellation = Cancellation.of(
                paid("100.00", RefundTerms.Rule.PAY_PER_USE, 0),
                WINDOW,
                WINDOW.start().plus(Duration.ofHours(25)));

        assertThat(cancellation.isFree()).isTrue();
        assertThat(cancellation.total()).isEqualTo(Money.of("25.00", "CNY"));
    }

    @Test
    void withoutRefundCancellingLosesWhatIsLeft() {
        Cancellation cancellation = Cancellation.of(paid("100.00", RefundTerms.Rule.NONE, 0), WINDOW, WINDOW.start());

        assertThat(cancellation.fee()).isEqualTo(Money.of("100.00", "CNY"));
        assertThat(cancellation.refund()).isEqualTo(Money.of("0.00", "CNY"));
    }

    @Test
    void whereNothingWasTakenNothingIsOwed() {
        Cancellation cancellation = Cancellation.of(paid("100.00", RefundTerms.Rule.NONE, 0), null, WINDOW.start());

        assertThat(cancellation.isFree()).isTrue();
        assertThat(cancellation.total()).isEqualTo(Money.of("0.00", "CNY"));
    }

    @Property
    void whatItCostsAndWhatComesBackAlwaysAddUpToWhatWasPaid(
            @ForAll @LongRange(min = 1, max = 99_999_999) long cents,
            @ForAll @IntRange(min = 0, max = 100) int percent,
            @ForAll @IntRange(min = -10, max = 110) int hour) {
        Money paid = new Money(BigDecimal.valueOf(cents, 2), Currency.getInstance("CNY"));
        Cancellation cancellation = Cancellation.of(
                paid(paid.amount().toPlainString(), RefundTerms.Rule.UNUSED_HOURS, percent),
                WINDOW,
                WINDOW.start().plus(Duration.ofHours(hour)));

        assertThat(cancellation.total().plus(cancellation.refund())).isEqualTo(paid);
        assertThat(cancellation.fee().amount()).isNotNegative();
        assertThat(cancellation.refund().amount()).isNotNegative();
    }
}
