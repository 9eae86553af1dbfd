package dev.gpubroker.broker.platform;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How often one account may call. Never blocks: it says how long to wait, or that waiting is not worth it. */
final class Pace {
    private static final long REFUSED = -1;
    private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);

    private final @Nullable RateLimiter limiter;

    private Pace(@Nullable RateLimiter limiter) {
        this.limiter = limiter;
    }

    static Pace unlimited() {
        return new Pace(null);
    }

    /** @param longestWait what a read waits for its turn at most */
    static Pace of(String account, BigDecimal callsPerSecond, Duration longestWait) {
        BigDecimal whole = callsPerSecond.setScale(0, RoundingMode.DOWN).max(BigDecimal.ONE);
        long period = whole.multiply(NANOS)
                .divide(callsPerSecond, 0, RoundingMode.CEILING)
                .longValueExact();
        return new Pace(RateLimiter.of(
                account,
                RateLimiterConfig.custom()
                        .limitForPeriod(whole.intValueExact())
                        .limitRefreshPeriod(Duration.ofNanos(period))
                        .timeoutDuration(longestWait)
                        .build()));
    }

    /**
     * Takes a turn. A purchase does not wait, since it would go out long after its fence was checked; what gives capacity
     * back is never refused.
     *
     * @return how long to wait for it; negative when there is none, and then nothing was taken
     */
    Duration turn(Operation operation) {
        if (limiter == null) {
            return Duration.ZERO;
        }
        if (operation.isPurchase() && limiter.getMetrics().getAvailablePermissions() < 1) {
            return Duration.ofNanos(REFUSED);
        }
        long wait = limiter.reservePermission();
        if (operation.isPurchase() && wait > 0) {
            return Duration.ofNanos(REFUSED); // Another call took the turn in between.
        }
        if (wait < 0 && operation.isReturn()) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(wait);
    }
}
