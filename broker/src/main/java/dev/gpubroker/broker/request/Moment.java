package dev.gpubroker.broker.request;

import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** A point in time as people say it. */
sealed interface Moment {
    record Now() implements Moment {}

    /** "in 3 days", "3天后". */
    record After(Length length) implements Moment {}

    /**
     * A day, a time of day, or both.
     *
     * @param offset only where it was written out, as in {@code 2026-12-20T00:00+08:00}
     */
    record On(
            @Nullable Day day,
            @Nullable Clock clock,
            @Nullable ZoneOffset offset) implements Moment {}

    /**
     * A time of day, which may be none: 25:00 is answered with an error, so it has to be said first.
     *
     * @param hour 0 to 24; 24 is midnight at the end of the day
     * @param open whether only half of the day was left open, as in "6点"
     */
    record Clock(int hour, int minute, boolean open) {
        boolean exists() {
            return hour >= 0 && minute >= 0 && minute < 60 && (hour < 24 || (hour == 24 && minute == 0));
        }
    }
}
