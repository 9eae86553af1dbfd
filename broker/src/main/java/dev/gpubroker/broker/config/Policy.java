package dev.gpubroker.broker.config;

import java.time.Duration;

/**
 * How bookings are treated where a request says nothing (DESIGN 2 and 5).
 *
 * @param decideBefore how long before the start the fallback is decided
 * @param startGrace how long after its start a reservation is still tried
 * @param releaseGrace how much later than the booked end a platform's own timed end is set
 * @param allowHoldEarly whether capacity may be taken, and paid for, long before its start without the caller asking for it
 * @param acquireLead how long before the start just-in-time capacity is taken
 * @param maxAttempts claims made for one reservation before it gives up
 * @param strictLine whether nobody is given own capacity before somebody who joined the line earlier
 * @param mostPasses else how often that may happen to one in the line
 * @param leastPart percent of a group's machines that are kept when a platform does not deliver the others; 100 = whole or none
 * @param noShowAfter what jobs were to lease and nobody did is given back so long after it began; zero = never
 */
public record Policy(
        Duration decideBefore,
        Duration startGrace,
        Duration releaseGrace,
        boolean allowHoldEarly,
        Duration acquireLead,
        int maxAttempts,
        boolean strictLine,
        int mostPasses,
        int leastPart,
        Duration noShowAfter) {
    public static final Policy DEFAULT = new Policy(
            Duration.ofHours(24),
            Duration.ofHours(1),
            Duration.ofHours(1),
            false,
            Duration.ZERO,
            6,
            false,
            5,
            100,
            Duration.ZERO);
}
