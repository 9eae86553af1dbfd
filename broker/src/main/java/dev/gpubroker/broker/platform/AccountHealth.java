package dev.gpubroker.broker.platform;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an account's calls go.
 *
 * @param breaker the worst of its breakers
 * @param notClosed those of its breakers that are not closed, by {@code region operation}
 * @param lastAnswerAt business time of the last call that brought an answer; null if none has since the start
 * @param lastFault what the last failed call said, if nothing was answered after it; else null
 */
public record AccountHealth(
        String account,
        String platform,
        String purchases,
        BreakerState breaker,
        Map<String, BreakerState> notClosed,
        @Nullable Instant lastAnswerAt,
        @Nullable String lastFault) {
    public AccountHealth {
        notClosed = Map.copyOf(notClosed);
    }
}
