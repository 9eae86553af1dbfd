package dev.gpubroker.broker.quote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.BigRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QuoterTest {
    private static final Window FIVE_DAYS = Window.of(Instant.parse("2026-12-20T00:00:00Z"), Duration.ofDays(5));
    private static final RefundTerms ANY = new RefundTerms(RefundTerms.Rule.PAY_PER_USE, BigDecimal.ZERO, "test");
    private final Quoter quoter = new Quoter(ExchangeRates.shipped());

    private static Price.Line line(LineKind kind, String unit, String quantity, @Nullable String unitPrice) {
        return new Price.Line(
                kind,
                kind.name(),
                unit,
                new BigDecimal(quantity),
                unitPrice == null ? null : new BigDecimal(unitPrice),
                "CNY");
    }

    private Costing cost(Price... prices) {
        return Objects.requireNonNull(
                quoter.cheapest(List.of(prices), FIVE_DAYS, 8, ANY).costing());
    }

    @Test
    void eachLineIsRoundedOnceAndTheTotalAddsRoundedLines() {
        Costing costing = cost(new Price(
                "hour",
                FIVE_DAYS,
                List.of(
                        line(LineKind.GPU, "instance-hour", "120", "277.79"),
                        line(LineKind.SYSTEM_DISK, "instance-hour", "120", "0.14041"))));

        assertThat(costing.lines().get(1).amount()).isEqualTo(Money.of("16.85", "CNY"));
        assertThat(costing.total()).isEqualTo(Money.of("33351.65", "CNY"));
    }

    @Test
    void aLineWithoutAPriceStaysOnTheQuoteAndTheTotalSaysFrom() {
        Costing costing = cost(new Price(
                "hour",
                FIVE_DAYS,
                List.of(line(LineKind.GPU, "instance-hour", "120", "100"), line(LineKind.BANDWIDTH, "GB", "1", null))));

        assertThat(costing.from()).isTrue();
        assertThat(costing.total()).isEqualTo(Money.of("12000.00", "CNY"));
        assertThat(costing.lines()).hasSize(2);
    }

    @Test
    void theCheapestBillingModeThatCoversTheWindowIsTaken() {
        Window week = Window.of(FIVE_DAYS.start(), Duration.ofDays(7));
        Window day = Window.of(FIVE_DAYS.start(), Duration.ofDays(1));
        Costing costing = cost(
                new Price("hour", FIVE_DAYS, List.of(line(LineKind.GPU, "hour", "120", "277.93"))),
                new Price("week", week, List.of(line(LineKind.GPU, "hour", "168", "150"))),
                new Price("day", day, List.of(line(LineKind.GPU, "hour", "24", "10"))));

        assertThat(costing.billing()).isEqualTo("week");
        assertThat(costing.lines()).extracting(QuoteLine::kind).contains(LineKind.IDLE_AFTER);
        assertThat(costing.total()).isEqualTo(Money.of("25200.00", "CNY"));
    }

    @Test
    void aZeroPriceIsAnErrorOfThePlatform() {
        Quoter.Result result = quoter.cheapest(
                List.of(new Price("hour", FIVE_DAYS, List.of(line(LineKind.GPU, "hour", "120", "0")))),
                FIVE_DAYS,
                8,
                ANY);

        assertThat(result.costing()).isNull();
        assertThat(result.badPrice()).contains("cannot cost 0.0000");
    }

    @Property
    void splittingOffIdleHoursNeverChangesTheTotal(
            @ForAll @BigRange(min = "1", max = "500") @Scale(4) BigDecimal hourly,
            @ForAll @IntRange(min = 121, max = 4000) int billedHours) {
        Window billed = Window.of(FIVE_DAYS.start(), Duration.ofHours(billedHours));
        Costing costing = cost(new Price(
                "long",
                billed,
                List.of(line(LineKind.GPU, "hour", Integer.toString(billedHours), hourly.toPlainString()))));
        Money whole =
                Money.rounded(hourly.multiply(BigDecimal.valueOf(billedHours)), java.util.Currency.getInstance("CNY"));

        assertThat(costing.total()).isEqualTo(whole);
    }
}
