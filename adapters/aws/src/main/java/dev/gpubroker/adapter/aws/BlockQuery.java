package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.util.Optional;

/**
 * What to ask so that a block covers a window: blocks run from 11:30 to 11:30 UTC, or from now to 11:30 UTC, and cannot be
 * used in their last half hour. Lengths come in whole days up to 14 and in weeks after that.
 *
 * @param earliest start of a block
 * @param latest end of a block; leaves a day for the offering that is a little longer than asked
 * @param hours length to ask, the shortest on sale that is long enough
 */
record BlockQuery(Instant earliest, Instant latest, int hours) {
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration TURN = Duration.between(LocalTime.MIDNIGHT, LocalTime.of(11, 30));

    /** Empty where no block can cover the window, however long. */
    static Optional<BlockQuery> covering(Window wanted, Instant now) {
        if (wanted.start().isBefore(now) || wanted.start().isAfter(now.plus(AwsShapes.HORIZON))) {
            return Optional.empty();
        }
        Instant lastStart = floor(wanted.start());
        boolean atOnce = lastStart.isBefore(now);
        Instant start = atOnce ? now : lastStart;
        Instant firstEnd = ceiling(wanted.end().plus(AwsShapes.TAKEN_BACK_BEFORE_END));
        long needed = daysUp(Duration.between(start, firstEnd));
        long sold = needed <= 14 ? needed : (needed + 6) / 7 * 7;
        if (sold > AwsShapes.LONGEST.toDays()) {
            return Optional.empty();
        }
        // A longer block than needed may begin earlier or end later by the difference.
        Duration slack = DAY.multipliedBy(sold - needed);
        Instant earliest = start.minus(slack);
        return Optional.of(new BlockQuery(
                earliest.isBefore(now) ? now : earliest, firstEnd.plus(slack).plus(DAY), Math.toIntExact(sold * 24)));
    }

    static Instant floor(Instant instant) {
        long day = DAY.toSeconds();
        long seconds = instant.getEpochSecond() - TURN.toSeconds();
        return Instant.ofEpochSecond(Math.floorDiv(seconds, day) * day + TURN.toSeconds());
    }

    static Instant ceiling(Instant instant) {
        Instant floor = floor(instant);
        return floor.equals(instant) ? floor : floor.plus(DAY);
    }

    private static long daysUp(Duration length) {
        long days = length.toDays();
        return length.minusDays(days).isZero() ? days : days + 1;
    }
}
