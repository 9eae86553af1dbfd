package dev.gpubroker.broker.planning;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The wait until a model can be had on a platform.
 *
 * @param low lower end of the range or P50; equal to {@code high} where one number is known
 * @param high what is compared: the P90, or the upper end
 * @param source where it comes from, for a person: {@code in stock}, {@code platform}, {@code history}, {@code setting},
 *     {@code field report 2026-03}, {@code assumed}
 * @param observations how many waits were seen, for {@code history}
 */
public record LeadTime(
        Duration low,
        Duration high,
        String source,
        @Nullable Integer observations) {
    /** What an unknown wait counts as. */
    public static final Duration ASSUMED = Duration.ofDays(14);

    public static LeadTime none() {
        return new LeadTime(Duration.ZERO, Duration.ZERO, "in stock", null);
    }

    public static LeadTime assumed() {
        return new LeadTime(ASSUMED, ASSUMED, "assumed", null);
    }
}
