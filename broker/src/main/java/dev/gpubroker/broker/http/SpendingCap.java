package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.adapter.spi.Money;

/**
 * The most that may be booked under one token or trust rule.
 *
 * @param grantee the id of that token or rule; all who come with it share the day's sum
 * @param perDay of UTC, in business time; in the currency of {@code perBooking}
 */
public record SpendingCap(String grantee, Money perBooking, Money perDay) {
    public SpendingCap {
        requireNonNull(grantee, "grantee");
        if (!perBooking.currency().equals(perDay.currency())) {
            throw new IllegalArgumentException("a cap has one currency, not " + perBooking + " and " + perDay);
        }
    }
}
