package dev.gpubroker.adapter.zhixingyun;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The length that is bought: whole hours or whole days from the purchase. Hour and day packs cost the same by the hour, less a
 * discount for length whose table is not published (API documentation); so a day pack is of use only where it is hardly
 * longer than the hour pack.
 */
record Pack(int amount, String unit) {
    static final String HOUR = "hour";
    static final String DAY = "day";

    private static final int MOST_HOURS_LOST = 2;

    /** The pack that covers {@code [from, to)} in the unit of {@code billing}, by the hour where days would overshoot. */
    static Pack covering(Instant from, Instant to, String billing) {
        Pack hours = hours(from, to);
        return billing.equals(DAY) ? hours.asDays().orElse(hours) : hours;
    }

    /** @throws IllegalArgumentException if {@code to} is not after {@code from} */
    static Pack hours(Instant from, Instant to) {
        Duration length = Duration.between(from, to);
        if (length.isNegative() || length.isZero()) {
            throw new IllegalArgumentException("nothing to buy from " + from + " to " + to);
        }
        long hours = length.toHours();
        boolean whole = length.equals(Duration.ofHours(hours));
        return new Pack(Math.toIntExact(whole ? hours : hours + 1), HOUR);
    }

    /** Empty if whole days would waste more than two hours. */
    Optional<Pack> asDays() {
        int days = (hours() + 23) / 24;
        return days * 24 - hours() > MOST_HOURS_LOST ? Optional.empty() : Optional.of(new Pack(days, DAY));
    }

    int hours() {
        return unit.equals(DAY) ? amount * 24 : amount;
    }

    Duration length() {
        return Duration.ofHours(hours());
    }
}
