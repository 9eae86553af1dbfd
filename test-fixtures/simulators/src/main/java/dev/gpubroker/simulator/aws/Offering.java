package dev.gpubroker.simulator.aws;

import java.time.Duration;
import java.time.Instant;

/**
 * A block that was shown to a buyer.
 *
 * @param fee of all machines over the whole window, in USD, as the wire says it
 * @param shownAt old offerings are forgotten
 */
record Offering(String id, String type, int count, Instant start, Instant end, String fee, Instant shownAt) {
    Duration length() {
        return Duration.between(start, end);
    }
}
