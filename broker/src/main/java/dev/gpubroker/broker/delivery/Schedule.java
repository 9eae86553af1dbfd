package dev.gpubroker.broker.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** When a delivery that failed is tried again: the schedule that Standard Webhooks recommends, three days in all. */
public final class Schedule {
    private static final List<Duration> PAUSES = List.of(
            Duration.ofSeconds(5),
            Duration.ofMinutes(5),
            Duration.ofMinutes(30),
            Duration.ofHours(2),
            Duration.ofHours(5),
            Duration.ofHours(10),
            Duration.ofHours(14),
            Duration.ofHours(20),
            Duration.ofHours(24));
    /** Each pause is up to a tenth shorter or longer, so that what failed together does not come back together. */
    private static final double JITTER = 0.1;

    private Schedule() {}

    /** Whether there is no further try after this one. */
    public static boolean isLast(int step) {
        return step >= PAUSES.size();
    }

    /**
     * The pause after a try; empty after the last one.
     *
     * @param step 0 for the first try
     * @param random 0 ≤ random < 1
     */
    static Optional<Duration> after(int step, double random) {
        return after(step, Duration.ZERO, random);
    }

    /** @param asked how long the receiver asks to be left alone: so long, and up to a tenth longer, at least */
    static Optional<Duration> after(int step, Duration asked, double random) {
        if (isLast(step)) {
            return Optional.empty();
        }
        Duration ours = times(PAUSES.get(step), 1 + JITTER * (2 * random - 1));
        Duration theirs = times(asked, 1 + JITTER * random);
        return Optional.of(ours.compareTo(theirs) < 0 ? theirs : ours);
    }

    private static Duration times(Duration pause, double factor) {
        return Duration.ofMillis(Math.round(pause.toMillis() * factor));
    }
}
