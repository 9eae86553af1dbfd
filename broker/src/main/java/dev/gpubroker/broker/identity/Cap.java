package dev.gpubroker.broker.identity;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.SpendingCap;
import io.vertx.sqlclient.Row;
import java.math.BigDecimal;
import java.util.Currency;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The most that may be booked: each time, and in one day of UTC. */
record Cap(Money perBooking, Money perDay) {
    /** As it is asked for. */
    record Body(Amount perBooking, Amount perDay) {
        record Amount(String amount, String currency) {}

        /** Null, with the errors told, if it is none. */
        @Nullable
        Cap checked(String field, List<FieldError> errors) {
            Money booking = money(field + ".perBooking", perBooking, errors);
            Money day = money(field + ".perDay", perDay, errors);
            if (booking == null || day == null) {
                return null;
            }
            if (!booking.currency().equals(day.currency())) {
                errors.add(new FieldError(
                        field + ".perDay.currency", "conflict", "must be that of perBooking", "必须与 perBooking 的币种相同"));
                return null;
            }
            return new Cap(booking, day);
        }

        private static @Nullable Money money(String field, Amount amount, List<FieldError> errors) {
            try {
                Money money = Money.of(amount.amount(), amount.currency());
                if (money.amount().signum() > 0) {
                    return money;
                }
            } catch (IllegalArgumentException | ArithmeticException notOne) {
                // Told below, as an amount that is not positive.
            }
            errors.add(new FieldError(
                    field,
                    "money",
                    "must be a positive amount in a currency of ISO 4217, without more decimals than that has",
                    "必须是正数金额和 ISO 4217 币种，小数位数不得超过该币种"));
            return null;
        }
    }

    SpendingCap of(String grantee) {
        return new SpendingCap(grantee, perBooking, perDay);
    }

    Map<String, Object> json() {
        return Map.of("perBooking", json(perBooking), "perDay", json(perDay));
    }

    private static Map<String, Object> json(Money money) {
        return Map.of(
                "amount",
                money.amount().toPlainString(),
                "currency",
                money.currency().getCurrencyCode());
    }

    static @Nullable Cap read(Row row) {
        String currency = row.getString("cap_currency");
        return currency == null
                ? null
                : new Cap(
                        money(row.getBigDecimal("cap_per_booking"), currency),
                        money(row.getBigDecimal("cap_per_day"), currency));
    }

    private static Money money(BigDecimal amount, String currency) {
        return new Money(amount, Currency.getInstance(currency));
    }

    static @Nullable BigDecimal booking(@Nullable Cap cap) {
        return cap == null ? null : cap.perBooking().amount();
    }

    static @Nullable BigDecimal day(@Nullable Cap cap) {
        return cap == null ? null : cap.perDay().amount();
    }

    static @Nullable String currency(@Nullable Cap cap) {
        return cap == null ? null : cap.perBooking().currency().getCurrencyCode();
    }
}
