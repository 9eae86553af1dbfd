package dev.gpubroker.broker.time;

import java.time.Duration;
import java.time.Instant;

/**
 * What the database said about time at one moment.
 *
 * @param clock its own clock
 * @param offset what a demo has added to it; zero otherwise
 */
public record DatabaseTime(Instant clock, Duration offset) {
    public Instant business() {
        return clock.plus(offset);
    }
}
