package dev.gpubroker.broker.quote;

import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Currency;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Turns what a platform states into quote lines and a total. Pure. */
public final class Quoter {
    /** Nobody sells a GPU hour below or above this (CNY): a slip of the platform's, not a bargain. */
    private static final BigDecimal LEAST_PER_GPU_HOUR = new BigDecimal("0.05");

    private static final BigDecimal MOST_PER_GPU_HOUR = new BigDecimal("2000");
    private static final int UNIT_PRICE_PLACES = 12;
    private static final BigDecimal SECONDS_PER_HOUR = BigDecimal.valueOf(3600);

    private final ExchangeRates rates;

    public Quoter(ExchangeRates rates) {
        this.rates = rates;
    }

    /** Either a costing or the reason why there is none. */
    public record Result(
            @Nullable Costing costing, @Nullable String badPrice) {
        static Result of(Costing costing) {
            return new Result(costing, null);
        }

        static Result bad(String why) {
            return new Result(null, why);
        }
    }

    /**
     * The cheapest of the platform's prices that covers the window.
     *
     * @param prices not empty
     * @param gpus in all machines, to judge whether a price can be true
     */
    public Result cheapest(List<Price> prices, Window window, int gpus, RefundTerms refund) {
        List<Result> results = prices.stream()
                .filter(price -> price.billed().length().compareTo(window.length()) >= 0)
                .map(price -> cost(price, window, gpus, refund))
                .toList();
        Optional<Costing> cheapest = results.stream()
                .map(Result::costing)
                .filter(java.util.Objects::nonNull)
                .min(Comparator.comparing(Costing::from).thenComparing(this::comparable));
        if (cheapest.isPresent()) {
            return Result.of(cheapest.get());
        }
        return results.stream().findFirst().orElseGet(() -> Result.bad("no billing mode covers the window"));
    }

    private Result cost(Price price, Window window, int gpus, RefundTerms refund) {
        List<QuoteLine> lines = new ArrayList<>();
        Duration idle = price.billed().length().minus(window.length());
        for (Price.Line line : price.lines()) {
            if (line.unitPrice() != null && line.unitPrice().signum() < 0) {
                return Result.bad("a negative price: " + line.unitPrice().toPlainString());
            }
            lines.add(line(
                    line.kind(), line.description(), line.unit(), line.quantity(), line.unitPrice(), line.currency()));
        }
        Currency currency = Currency.getInstance(price.lines().get(0).currency());
        splitIdle(lines, price.billed().length(), idle);
        Costing costing = costing(price.billing(), currency, lines, refund);
        Money total = costing.total();
        if (total == null) {
            return Result.bad("the platform states no price");
        }
        return absurd(total, gpus, price.billed().length()).map(Result::bad).orElseGet(() -> Result.of(costing));
    }

    /** Hours that are paid and not asked for stand on a line of their own. */
    private static void splitIdle(List<QuoteLine> lines, Duration billed, Duration idle) {
        if (idle.compareTo(Duration.ofMinutes(1)) < 0) {
            return;
        }
        for (int i = 0; i < lines.size(); i++) {
            QuoteLine line = lines.get(i);
            if (line.kind() == LineKind.GPU
                    && line.unitPrice() != null
                    && line.unit().endsWith("hour")) {
                BigDecimal idleQuantity = line.quantity()
                        .multiply(hours(idle))
                        .divide(hours(billed), UNIT_PRICE_PLACES, RoundingMode.HALF_EVEN);
                String currency = amountOf(line).currency().getCurrencyCode();
                lines.set(
                        i,
                        line(
                                LineKind.GPU,
                                line.description(),
                                line.unit(),
                                line.quantity().subtract(idleQuantity),
                                line.unitPrice(),
                                currency));
                Money rest = amountOf(line).minus(amountOf(lines.get(i)));
                lines.add(new QuoteLine(
                        LineKind.IDLE_AFTER,
                        "paid, beyond the window asked for",
                        line.unit(),
                        idleQuantity.stripTrailingZeros(),
                        line.unitPrice(),
                        rest));
            }
        }
    }

    private static Money amountOf(QuoteLine line) {
        return java.util.Objects.requireNonNull(line.amount(), "a priced line has an amount");
    }

    private Optional<String> absurd(Money total, int gpus, Duration billed) {
        BigDecimal perGpuHour = rates.inYuan(total)
                .divide(BigDecimal.valueOf(gpus).multiply(hours(billed)), UNIT_PRICE_PLACES, RoundingMode.HALF_EVEN);
        if (perGpuHour.compareTo(LEAST_PER_GPU_HOUR) < 0 || perGpuHour.compareTo(MOST_PER_GPU_HOUR) > 0) {
            return Optional.of("a GPU hour cannot cost "
                    + perGpuHour.setScale(4, RoundingMode.HALF_EVEN).toPlainString()
                    + " CNY: taken for an error of the platform's");
        }
        return Optional.empty();
    }

    /** The same costing, with the hours before the start on a line of their own. */
    public Costing heldEarly(Costing costing, Duration window, Duration before) {
        Money total = costing.total();
        if (total == null) {
            return costing;
        }
        BigDecimal hourly = total.amount().divide(hours(window), UNIT_PRICE_PLACES, RoundingMode.HALF_EVEN);
        List<QuoteLine> lines = new ArrayList<>(costing.lines());
        lines.add(line(
                LineKind.EARLY_HOLD,
                "held idle until the start",
                "hour",
                hours(before),
                hourly,
                costing.currency().getCurrencyCode()));
        return costing(costing.billing(), costing.currency(), lines, costing.refundTerms());
    }

    /** Own capacity: in the ledger, not on a bill. */
    public Costing ownCapacity(int gpus, Duration length) {
        Currency yuan = Currency.getInstance("CNY");
        RefundTerms free = new RefundTerms(RefundTerms.Rule.PAY_PER_USE, BigDecimal.ZERO, "own capacity");
        QuoteLine line = line(
                LineKind.GPU,
                "own capacity",
                "GPU-hour",
                BigDecimal.valueOf(gpus).multiply(hours(length)),
                BigDecimal.ZERO,
                "CNY");
        return costing("", yuan, List.of(line), free);
    }

    /** Nothing is known of the price: a wait for what is sold out. */
    public static Costing unknown(String currency, RefundTerms refund) {
        QuoteLine open = new QuoteLine(LineKind.GPU, "not stated while sold out", "hour", BigDecimal.ONE, null, null);
        return new Costing("", Currency.getInstance(currency), List.of(open), null, true, refund);
    }

    private static Costing costing(String billing, Currency currency, List<QuoteLine> lines, RefundTerms refund) {
        Money total = null;
        boolean from = false;
        for (QuoteLine line : lines) {
            Money amount = line.amount();
            if (amount == null) {
                from = true;
            } else {
                total = total == null ? amount : total.plus(amount);
            }
        }
        return new Costing(billing, currency, lines, total, from, refund);
    }

    private static QuoteLine line(
            LineKind kind,
            String description,
            String unit,
            BigDecimal quantity,
            @Nullable BigDecimal unitPrice,
            String currency) {
        BigDecimal plainQuantity = plain(quantity);
        if (unitPrice == null) {
            return new QuoteLine(kind, description, unit, plainQuantity, null, null);
        }
        Money amount = Money.rounded(plainQuantity.multiply(unitPrice), Currency.getInstance(currency));
        return new QuoteLine(kind, description, unit, plainQuantity, plain(unitPrice), amount);
    }

    private static BigDecimal plain(BigDecimal number) {
        BigDecimal stripped = number.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0, RoundingMode.UNNECESSARY) : stripped;
    }

    private static BigDecimal hours(Duration length) {
        return BigDecimal.valueOf(length.toSeconds())
                .divide(SECONDS_PER_HOUR, UNIT_PRICE_PLACES, RoundingMode.HALF_EVEN);
    }

    public boolean isDearer(Money one, Money other) {
        return rates.isMoreThan(one, other);
    }

    /** For ranking; an unknown total counts as dearest. */
    public BigDecimal comparable(Costing costing) {
        Money total = costing.total();
        return total == null ? BigDecimal.valueOf(Long.MAX_VALUE) : rates.inYuan(total);
    }
}
