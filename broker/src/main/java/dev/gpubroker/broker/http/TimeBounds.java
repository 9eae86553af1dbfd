package dev.gpubroker.broker.http;

import java.time.Instant;

/**
 * The times that a caller may name: the years 1970 to 2199. What lies outside is a slip, and PostgreSQL, calendars and
 * the four digits of a year each end somewhere.
 */
public final class TimeBounds {
    public static final String ENGLISH = "must lie in the years 1970 to 2199";
    public static final String CHINESE = "必须在 1970 至 2199 年之间";

    private static final Instant FIRST = Instant.parse("1970-01-01T00:00:00Z");
    private static final Instant AFTER = Instant.parse("2200-01-01T00:00:00Z");

    private TimeBounds() {}

    public static boolean hold(Instant instant) {
        return !instant.isBefore(FIRST) && instant.isBefore(AFTER);
    }
}
