package dev.gpubroker.adapter.spi;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Currency;

/** An amount of one currency in that currency's own unit; equal amounts are equal records. Rates are a type of their own. */
public record Money(BigDecimal amount, Currency currency) {
    public Money {
        amount = amount.setScale(
                requireNonNull(currency, "currency").getDefaultFractionDigits(), RoundingMode.UNNECESSARY);
    }

    public static Money of(String amount, String currency) {
        return new Money(new BigDecimal(amount), Currency.getInstance(currency));
    }

    public static Money zero(Currency currency) {
        return new Money(BigDecimal.ZERO, currency);
    }

    /** Rounds once, half-even, to the currency's smallest unit: for the moment a quote line is made. */
    public static Money rounded(BigDecimal exact, Currency currency) {
        return new Money(exact.setScale(currency.getDefaultFractionDigits(), RoundingMode.HALF_EVEN), currency);
    }

    public Money plus(Money other) {
        return new Money(amount.add(same(other).amount), currency);
    }

    public Money minus(Money other) {
        return new Money(amount.subtract(same(other).amount), currency);
    }

    public boolean isMoreThan(Money other) {
        return amount.compareTo(same(other).amount) > 0;
    }

    private Money same(Money other) {
        if (!currency.equals(other.currency)) {
            throw new IllegalArgumentException("cannot mix " + currency + " and " + other.currency);
        }
        return other;
    }

    @Override
    public String toString() {
        return amount.toPlainString() + " " + currency.getCurrencyCode();
    }
}
