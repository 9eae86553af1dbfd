package dev.gpubroker.broker.config;

import dev.gpubroker.adapter.spi.Money;
import org.jspecify.annotations.Nullable;

/**
 * The most an account may spend; null means no cap. They bind everybody, the administrator too.
 *
 * @param perBooking one reservation, all its attempts together
 * @param perDay all purchases of one calendar day in the broker's time zone
 * @param perMonth all purchases of one calendar month in the broker's time zone
 * @param openClaims claims that are neither released nor refused
 */
public record Caps(
        @Nullable Money perBooking,
        @Nullable Money perDay,
        @Nullable Money perMonth,
        @Nullable Integer openClaims) {
    public static final Caps NONE = new Caps(null, null, null, null);
}
