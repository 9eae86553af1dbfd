package dev.gpubroker.simulator.aws;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Days as Capacity Blocks count them: each runs from 11:30 UTC to 11:30 UTC, and every block ends at one of these instants. */
final class BlockTime {
    static final Duration DAY = Duration.ofDays(1);
    private static final LocalTime TURN = LocalTime.of(11, 30);

    private BlockTime() {}

    /** The day in which the instant lies, named by the date on which it begins. */
    static LocalDate dayOf(Instant instant) {
        return instant.minus(Duration.between(LocalTime.MIDNIGHT, TURN))
                .atOffset(ZoneOffset.UTC)
                .toLocalDate();
    }

    static Instant startOf(LocalDate day) {
        return day.atTime(TURN).toInstant(ZoneOffset.UTC);
    }

    /** The latest turn of the day that is not after the instant. */
    static Instant floor(Instant instant) {
        return startOf(dayOf(instant));
    }

    static Instant ceiling(Instant instant) {
        Instant floor = floor(instant);
        return floor.equals(instant) ? floor : floor.plus(DAY);
    }

    /** Every day that has a part in the window, in order. */
    static List<LocalDate> days(Instant start, Instant end) {
        List<LocalDate> days = new ArrayList<>();
        for (LocalDate day = dayOf(start); startOf(day).isBefore(end); day = day.plusDays(1)) {
            days.add(day);
        }
        return days;
    }

    /** The next full five minutes: a block that starts at once starts then. */
    static Instant soon(Instant now) {
        long step = 300;
        return Instant.ofEpochSecond(Math.floorDiv(now.getEpochSecond() + step - 1, step) * step);
    }
}
