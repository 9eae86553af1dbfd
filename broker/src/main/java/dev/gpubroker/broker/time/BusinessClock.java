package dev.gpubroker.broker.time;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Business time: the database's clock plus the demo offset, so that all brokers agree on it and SQL's
 * {@code business_now()} says the same. Between samples it runs on this machine's monotonic clock, so {@link #instant}
 * never waits and does not follow a wall clock that somebody sets.
 *
 * <p>It never goes backward unless the demo clock was set back: when the database turns out to be behind, it stands still
 * until the database has caught up. Instants have microseconds, as the database's do.
 */
public final class BusinessClock implements InstantSource, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BusinessClock.class);
    /** Also how late another broker's change of the demo clock is seen at most; within the scan's 15 s by far. */
    private static final Duration SAMPLE_EVERY = Duration.ofSeconds(1);
    /** A slower answer says little about the time; it counts only if nothing better came for {@link #STALE}. */
    private static final Duration GOOD_ROUND_TRIP = Duration.ofMillis(100);

    private static final Duration STALE = Duration.ofSeconds(30);

    /**
     * One sample.
     *
     * @param asked when it was asked for; of two samples the one asked later has seen more
     * @param nanos the moment on the monotonic clock at which it was {@code business}
     * @param told the latest instant that was told to anybody, in microseconds; the next sample goes on with it
     */
    private record Anchor(long asked, long nanos, Instant business, Duration offset, AtomicLong told) {
        Instant at(long now) {
            long micros = ChronoUnit.MICROS.between(Instant.EPOCH, business.plusNanos(now - nanos));
            return Instant.EPOCH.plus(told.accumulateAndGet(micros, Math::max), ChronoUnit.MICROS);
        }
    }

    private final TimeSource source;
    private final LongSupplier nanoTime;
    private volatile Anchor anchor;
    private final AtomicBoolean sampling = new AtomicBoolean();
    private volatile boolean silent;
    private volatile Runnable stop = () -> {};

    private BusinessClock(TimeSource source, LongSupplier nanoTime, Anchor first) {
        this.source = source;
        this.nanoTime = nanoTime;
        this.anchor = first;
    }

    /** A clock that has its first sample; {@link #keepFresh} makes it take more. */
    public static Future<BusinessClock> start(TimeSource source) {
        return start(source, System::nanoTime);
    }

    static Future<BusinessClock> start(TimeSource source, LongSupplier nanoTime) {
        long asked = nanoTime.getAsLong();
        return source.read().map(time -> {
            Anchor first = anchor(time, asked, nanoTime.getAsLong(), new AtomicLong(Long.MIN_VALUE));
            return new BusinessClock(source, nanoTime, first);
        });
    }

    /** Samples every second from now until {@link #close}. */
    public BusinessClock keepFresh(Vertx vertx) {
        long timer = vertx.setPeriodic(SAMPLE_EVERY.toMillis(), id -> {
            if (sampling.compareAndSet(false, true)) {
                refresh().onComplete(done -> {
                    sampling.set(false);
                    tell(done.cause());
                });
            }
        });
        stop = () -> vertx.cancelTimer(timer);
        return this;
    }

    /** Takes no more samples; call it before the database is closed. The clock goes on with this machine's. */
    @Override
    public void close() {
        stop.run();
        stop = () -> {};
    }

    /** Once when it begins and once when it ends, not every second. */
    private void tell(@Nullable Throwable fault) {
        boolean before = silent;
        silent = fault != null;
        if (fault != null && !before) {
            LOG.warn("The database does not tell its time; going on with this machine's: {}", fault.toString());
        } else if (fault == null && before) {
            LOG.info("The database tells its time again");
        }
    }

    @Override
    public Instant instant() {
        return anchor.at(nanoTime.getAsLong());
    }

    /** What the demo clock has added to the database's clock; zero without demo clock. */
    public Duration offset() {
        return anchor.offset();
    }

    /** When {@code business} comes, in wall time of the database. */
    public Instant wallTimeOf(Instant business) {
        return business.minus(offset());
    }

    /** Takes a sample now, for whoever has just moved the clock; the new time. */
    public Future<Instant> refresh() {
        long asked = nanoTime.getAsLong();
        return source.read().map(time -> {
            long answered = nanoTime.getAsLong();
            take(time, asked, answered);
            return instant();
        });
    }

    private synchronized void take(DatabaseTime time, long asked, long answered) {
        anchor = next(anchor, time, asked, answered);
    }

    private static Anchor next(Anchor before, DatabaseTime time, long asked, long answered) {
        if (asked - before.asked() <= 0) {
            return before;
        }
        int moved = time.offset().compareTo(before.offset());
        boolean vague = answered - asked > GOOD_ROUND_TRIP.toNanos();
        if (moved == 0 && vague && asked - before.asked() < STALE.toNanos()) {
            return before;
        }
        // Only the demo clock may take back what was told.
        return anchor(time, asked, answered, moved < 0 ? new AtomicLong(Long.MIN_VALUE) : before.told());
    }

    /** The database read its clock somewhere between question and answer; in the middle the error is least. */
    private static Anchor anchor(DatabaseTime time, long asked, long answered, AtomicLong told) {
        return new Anchor(asked, asked + (answered - asked) / 2, time.business(), time.offset(), told);
    }
}
