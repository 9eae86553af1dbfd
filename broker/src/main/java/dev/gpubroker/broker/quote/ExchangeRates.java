package dev.gpubroker.broker.quote;

import dev.gpubroker.adapter.spi.Money;
import java.math.BigDecimal;
import java.util.Currency;
import java.util.Map;
import java.util.Set;

/**
 * Rates for comparing offers of different currencies; orders are always in the platform's own.
 *
 * @param yuan how many CNY one unit of the currency is worth
 * @param source shown wherever a converted amount is shown
 */
public record ExchangeRates(Map<String, BigDecimal> yuan, String source) {
    public ExchangeRates {
        yuan = Map.copyOf(yuan);
    }

    /** Round numbers to rank by until the operator sets better ones. */
    public static ExchangeRates shipped() {
        return new ExchangeRates(
                Map.of("CNY", BigDecimal.ONE, "USD", BigDecimal.valueOf(7)),
                "shipped default, a round number for ranking");
    }

    /** Currencies that can be compared, as ISO 4217 has them. */
    public Set<String> currencies() {
        return yuan.keySet();
    }

    /** For comparing only; exact, not rounded. */
    public BigDecimal inYuan(Money money) {
        return money.amount().multiply(rate(money.currency()));
    }

    public boolean isMoreThan(Money one, Money other) {
        return inYuan(one).compareTo(inYuan(other)) > 0;
    }

    private BigDecimal rate(Currency currency) {
        BigDecimal rate = yuan.get(currency.getCurrencyCode());
        if (rate == null) {
            throw new IllegalArgumentException("no exchange rate for " + currency.getCurrencyCode());
        }
        return rate;
    }
}
