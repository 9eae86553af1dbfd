package dev.gpubroker.broker.planning;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The wait until a model can be had on a platform.
 *
 * @param low lower end of the range or P50; equal to {@code high} where one number is known
 * @param high what is compared: the P90, or the upper end
 * @param observations how many waits were seen, for {@link Source#HISTORY}
 * @param note where the figure is written, for a person
 */
public record LeadTime(
        Duration low,
        Duration high,
        Source source,
        @Nullable Integer observations,
        @Nullable String note) {
    /** What an unknown wait counts as. */
    public static final Duration ASSUMED = Duration.ofDays(14);

    /** Best first. The wire name is the constant in lower case. */
    public enum Source {
        PLATFORM,
        HISTORY,
        OPERATOR,
        PRIOR,
        ASSUMED;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** In stock now. */
    public static LeadTime none() {
        return new LeadTime(Duration.ZERO, Duration.ZERO, Source.PLATFORM, null, "in stock now");
    }

    public static LeadTime assumed() {
        return new LeadTime(ASSUMED, ASSUMED, Source.ASSUMED, null, "nothing is known of this wait");
    }
}
