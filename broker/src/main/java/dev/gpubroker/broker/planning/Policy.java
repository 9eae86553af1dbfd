package dev.gpubroker.broker.planning;

import java.time.Duration;

/**
 * What the operator lays down.
 *
 * @param decideBefore the fallback is decided so long before the start
 * @param startGrace a queue runs out so long after the start
 * @param endGrace a platform's timed end is set so long after the reservation's end
 * @param acquireLead just-in-time capacity is taken so long before the start
 * @param holdsEarly whether capacity may be taken early without the caller picking that quote
 * @param attempts purchases tried for one reservation, at most
 * @param quoteLife how long a quote can be booked
 * @param capPercent an indicative quote may grow by this much before the owner is asked again
 * @param strictLine whether nobody is given own capacity before somebody who joined the line earlier
 * @param mostPasses else how often that may happen to one in the line
 * @param leastPart percent of a group's machines that are kept when a platform does not deliver the others; 100 = whole or none
 * @param noShowAfter what jobs were to lease and nobody did is given back so long after it began; zero = never
 * @param heldPlace how long a place is held for an answer
 */
public record Policy(
        Duration decideBefore,
        Duration startGrace,
        Duration endGrace,
        Duration acquireLead,
        boolean holdsEarly,
        int attempts,
        Duration quoteLife,
        int capPercent,
        boolean strictLine,
        int mostPasses,
        int leastPart,
        Duration noShowAfter,
        Duration heldPlace) {
    public static Policy standard() {
        return new Policy(
                Duration.ofHours(24),
                Duration.ofHours(1),
                Duration.ofHours(1),
                Duration.ZERO,
                false,
                6,
                Duration.ofMinutes(30),
                10,
                false,
                5,
                100,
                Duration.ZERO,
                Duration.ofHours(4));
    }
}
