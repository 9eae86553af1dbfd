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
 */
public record Policy(
        Duration decideBefore,
        Duration startGrace,
        Duration endGrace,
        Duration acquireLead,
        boolean holdsEarly,
        int attempts,
        Duration quoteLife,
        int capPercent) {
    public static Policy standard() {
        return new Policy(
                Duration.ofHours(24),
                Duration.ofHours(1),
                Duration.ofHours(1),
                Duration.ZERO,
                false,
                6,
                Duration.ofMinutes(30),
                10);
    }
}
