package dev.gpubroker.broker.request;

import java.math.BigInteger;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long a booking lasts: months and days are the calendar's, in the caller's zone, so that one day over a clock change
 * ends at the same wall time; hours are hours.
 */
record Length(int months, int days, int hours) {
    static final Length NONE = new Length(0, 0, 0);

    private static final Pattern ISO = Pattern.compile(
            "P(?:(\\d{1,6})Y)?(?:(\\d{1,6})M)?(?:(\\d{1,6})W)?(?:(\\d{1,6})D)?(?:T(?:(\\d{1,6})H)?(?:(\\d{1,6})M)?(?:(\\d{1,8})S)?)?");

    /**
     * Reads an ISO 8601 duration such as {@code P5D}, {@code PT120H}, {@code P2W3DT12H}; empty if it is none, is negative
     * or no whole number of hours.
     */
    static Optional<Length> ofIso(String text) {
        Matcher parts = ISO.matcher(text);
        if (!parts.matches() || text.endsWith("T") || text.equals("P")) {
            return Optional.empty();
        }
        int seconds = part(parts, 6) * 60 + part(parts, 7);
        if (seconds % 3600 != 0) {
            return Optional.empty();
        }
        return Optional.of(new Length(
                part(parts, 1) * 12 + part(parts, 2),
                part(parts, 3) * 7 + part(parts, 4),
                part(parts, 5) + seconds / 3600));
    }

    private static int part(Matcher parts, int group) {
        return parts.group(group) == null ? 0 : Integer.parseInt(parts.group(group));
    }

    Length plus(Length other) {
        return new Length(months + other.months, days + other.days, hours + other.hours);
    }

    /** Whether a smaller part may follow this one: days after weeks, hours after days, but not days after days. */
    boolean canTake(Length smaller) {
        if (hours > 0) {
            return false;
        }
        boolean weeksThenDays = days % 7 == 0 && smaller.days < 7;
        return smaller.months == 0 && (smaller.days == 0 || weeksThenDays);
    }

    boolean isZero() {
        return equals(NONE);
    }

    /** So long that no calendar is needed to refuse it. */
    boolean isAbsurd() {
        return BigInteger.valueOf(months)
                        .multiply(BigInteger.valueOf(28 * 24))
                        .add(BigInteger.valueOf(days).multiply(BigInteger.valueOf(23)))
                        .add(BigInteger.valueOf(hours))
                        .compareTo(BigInteger.valueOf(Limits.MAX_LENGTH.toHours() + 24))
                > 0;
    }

    ZonedDateTime after(ZonedDateTime start) {
        return start.plusMonths(months).plusDays(days).plusHours(hours);
    }

    /** Whether the month it ends in lacks the day it began on, as one month after 31 January. */
    boolean isCutShortAfter(ZonedDateTime start) {
        return start.plusMonths(months).getDayOfMonth() != start.getDayOfMonth();
    }
}
