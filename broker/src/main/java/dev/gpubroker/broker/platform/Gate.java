package dev.gpubroker.broker.platform;

import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.PlatformFault;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls of one operation on one account and region through, or not: a breaker for a platform that fails, a pause for
 * one that says "too many calls". The two are counted apart, and a mistake of our own counts in neither.
 */
final class Gate {
    /** These say nothing of the platform's health; being throttled is answered by the pause. */
    private static final Set<PlatformFault.Kind> NOT_ITS_FAULT =
            Set.of(PlatformFault.Kind.BAD_REQUEST, PlatformFault.Kind.BAD_CREDENTIALS, PlatformFault.Kind.THROTTLED);
    /** Doublings, after which any cool-down is at its longest. */
    private static final int MOST_DOUBLINGS = 20;

    private final String name;
    private final Clock wall;
    private final Limits limits;
    private final Duration longest;
    private final CircuitBreaker breaker;
    /** How often it opened without a long quiet time in between. */
    private volatile int openings;

    private volatile @Nullable Instant closedAt;
    private volatile Instant openUntil = Instant.MIN;
    private int throttles;
    private Instant pausedUntil = Instant.MIN;

    Gate(String name, Operation operation, Limits limits, Clock wall) {
        this.name = name;
        this.wall = wall;
        this.limits = limits;
        this.longest = limits.longestCoolDown(operation);
        this.breaker = CircuitBreaker.of(
                name,
                CircuitBreakerConfig.custom()
                        .clock(wall)
                        .slidingWindow(limits.window(), limits.fewestCalls(), SlidingWindowType.COUNT_BASED)
                        .failureRateThreshold(limits.failurePercent())
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .waitIntervalFunctionInOpenState(attempt -> coolDown().toMillis())
                        .ignoreException(Gate::isNotItsFault)
                        .recordException(fault -> true)
                        // After an unreadable answer to a purchase nobody knows what happened: that is no success.
                        .recordResult(result -> result instanceof ClaimOutcome.Unknown)
                        .writableStackTraceEnabled(false)
                        .build());
        breaker.getEventPublisher()
                .onStateTransition(event -> moved(event.getStateTransition().getToState()));
    }

    private static boolean isNotItsFault(Throwable fault) {
        return fault instanceof PlatformFault known && NOT_ITS_FAULT.contains(known.kind());
    }

    /** How long it would stay open if it opened now. A pure reading: the breaker may ask more than once. */
    private Duration coolDown() {
        Instant closed = closedAt;
        boolean quiet = closed != null && wall.instant().isAfter(closed.plus(limits.forgetAfter()));
        return doubled(limits.firstCoolDown(), quiet ? 0 : openings, longest);
    }

    private void moved(State to) {
        Instant now = wall.instant();
        if (to == State.OPEN) {
            openUntil = now.plus(coolDown());
            Instant closed = closedAt;
            boolean quiet = closed != null && now.isAfter(closed.plus(limits.forgetAfter()));
            openings = quiet ? 1 : openings + 1;
            closedAt = null;
        } else if (to == State.CLOSED) {
            closedAt = now;
        }
    }

    private static Duration doubled(Duration first, int times, Duration most) {
        Duration pause = first.multipliedBy(1L << Math.min(times, MOST_DOUBLINGS));
        return pause.compareTo(most) > 0 ? most : pause;
    }

    /** Why nothing may pass now, or null: then the caller has passed, and tells how it went or that it turned round. */
    @Nullable
    String enter() {
        synchronized (this) {
            if (wall.instant().isBefore(pausedUntil)) {
                return name + " asked for fewer calls; the next goes out at " + pausedUntil;
            }
        }
        if (breaker.tryAcquirePermission()) {
            return null;
        }
        return breaker.getState() == State.OPEN
                ? name + " failed again and again; it is tried again at " + openUntil
                : name + " failed again and again; one call is under way to see whether it works now";
    }

    /** After {@link #enter()}: nothing was sent. */
    void turnedRound() {
        breaker.releasePermission();
    }

    void answered(Duration took, Object answer) {
        synchronized (this) {
            throttles = 0;
        }
        breaker.onResult(took.toNanos(), TimeUnit.NANOSECONDS, answer);
    }

    void failed(Duration took, Throwable fault) {
        if (fault instanceof PlatformFault known && known.kind() == PlatformFault.Kind.THROTTLED) {
            throttled(known.retryAfter());
        }
        breaker.onError(took.toNanos(), TimeUnit.NANOSECONDS, fault);
    }

    private synchronized void throttled(@Nullable Duration asked) {
        Duration ours = doubled(limits.firstThrottle(), throttles, longest);
        Duration pause = asked == null || asked.compareTo(ours) < 0 ? ours : asked;
        throttles++;
        pausedUntil = wall.instant().plus(pause.compareTo(longest) > 0 ? longest : pause);
    }

    /** Ends every wait: one call may try at once. */
    void halfOpen() {
        synchronized (this) {
            pausedUntil = Instant.MIN;
        }
        if (breaker.getState() == State.OPEN) {
            breaker.transitionToHalfOpenState();
        }
    }

    /** {@code closed}, {@code open} or {@code half_open}; an open one whose time is over is half open. */
    BreakerState state() {
        return switch (breaker.getState()) {
            case OPEN, FORCED_OPEN -> wall.instant().isBefore(openUntil) ? BreakerState.OPEN : BreakerState.HALF_OPEN;
            case HALF_OPEN -> BreakerState.HALF_OPEN;
            default -> BreakerState.CLOSED;
        };
    }
}
