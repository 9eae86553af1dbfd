package dev.gpubroker.broker.schedule;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.time.BusinessClock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves business time. A jump forward is a walk: every instant on the way at which something is due is visited in order,
 * and its work settles before the next, so that weeks pass as they would have.
 */
public final class DemoClock {
    private static final Logger LOG = LoggerFactory.getLogger(DemoClock.class);

    /** Work of one instant that shows no progress for so long is left to itself, and the walk goes on. */
    private static final Duration SETTLES_WITHIN = Duration.ofSeconds(5);
    /** So is work that goes on and on. A slow machine gets its work done in less. */
    private static final Duration SETTLES_AT_LAST = Duration.ofSeconds(60);

    private static final long LOOK_EVERY_MILLIS = 5;

    private final Vertx vertx;
    private final Database database;
    private final PgDueWork work;
    private final DueWorker worker;
    private final BusinessClock clock;
    private final Runnable atEachInstant;
    private final Supplier<Future<Void>> onArrival;
    private Future<?> last = Future.succeededFuture();

    /**
     * @param atEachInstant what wall time would have brought: breakers try again
     * @param onArrival wake-ups are asked for anew, since they count wall time
     */
    public DemoClock(
            Vertx vertx,
            Database database,
            PgDueWork work,
            DueWorker worker,
            BusinessClock clock,
            Runnable atEachInstant,
            Supplier<Future<Void>> onArrival) {
        this.vertx = vertx;
        this.database = database;
        this.work = work;
        this.worker = worker;
        this.clock = clock;
        this.atEachInstant = atEachInstant;
        this.onArrival = onArrival;
    }

    /** Walks forward; succeeds with the time when the target is reached and its work has settled. */
    public Future<Instant> walkTo(Instant target) {
        return walk(now -> target);
    }

    /** Walks so much further than the walks before it have come. */
    public Future<Instant> advance(Duration by) {
        return walk(now -> now.plus(by));
    }

    private synchronized Future<Instant> walk(UnaryOperator<Instant> target) {
        Future<Instant> walk = last.transform(before -> clock.refresh()).compose(now -> step(target.apply(now)));
        last = walk;
        return walk;
    }

    /** Sets the time back, without a walk. */
    public synchronized Future<Instant> setBack(Instant target) {
        Future<Instant> set = last.transform(before -> jump(target)).map(target);
        last = set;
        return set;
    }

    /** One promise for the whole walk: futures composed at each instant would end as one stack as deep as the walk is long. */
    private Future<Instant> step(Instant target) {
        Promise<Instant> there = Promise.promise();
        goOn(target, there);
        return there.future();
    }

    private void goOn(Instant target, Promise<Instant> there) {
        oneInstant(target).onComplete(gone -> {
            if (gone.failed()) {
                there.fail(gone.cause());
            } else if (gone.result()) {
                arrive().onComplete(there);
            } else {
                goOn(target, there);
            }
        });
    }

    /**
     * Whatever falls due while the present instant settles is looked at before time moves on.
     *
     * @return whether the target is reached
     */
    private Future<Boolean> oneInstant(Instant target) {
        return clock.refresh()
                .compose(now -> now.isBefore(target)
                        ? settled(false)
                                .compose(done -> work.nextBetween(now, target))
                                .compose(next -> visit(next, target))
                        : Future.succeededFuture(true));
    }

    private Future<Boolean> visit(Optional<Instant> next, Instant target) {
        if (next.isEmpty()) {
            return jump(target).map(true);
        }
        boolean passed = !next.get().isAfter(clock.instant());
        return (passed ? Future.<Void>succeededFuture() : jump(next.get())).map(false);
    }

    private Future<Instant> arrive() {
        return settled(true).compose(done -> onArrival.get()).compose(done -> clock.refresh());
    }

    private static final String SET = """
            -- demo_clock.set
            UPDATE demo_clock
               SET offset_micros = offset_micros + (extract(epoch FROM ($1::timestamptz - business_now())) * 1000000)::bigint""";

    private Future<Void> jump(Instant to) {
        return database.pool()
                .preparedQuery(SET)
                .execute(Tuple.of(PgTime.of(to)))
                .compose(done -> clock.refresh())
                .onSuccess(now -> {
                    atEachInstant.run();
                    worker.lookNow();
                })
                .mapEmpty();
    }

    /** Succeeds when nothing is due any more, or after the time that one instant is given. */
    private Future<Void> settled(boolean periodic) {
        long now = System.nanoTime();
        Promise<Void> settled = Promise.promise();
        look(periodic, new Patience(now, now, ""), settled);
        return settled.future();
    }

    /** @param moved when the work in hand last changed, on the monotonic clock */
    private record Patience(long since, long moved, String hands) {
        Patience seeing(String now) {
            return now.equals(hands) ? this : new Patience(since, System.nanoTime(), now);
        }

        boolean isOver() {
            long now = System.nanoTime();
            return now - moved > SETTLES_WITHIN.toNanos() || now - since > SETTLES_AT_LAST.toNanos();
        }
    }

    /** Again and again, some thousand times where an instant takes long; so it must not nest either. */
    private void look(boolean periodic, Patience before, Promise<Void> settled) {
        work.waiting(periodic).onComplete(looked -> {
            if (looked.failed()) {
                settled.fail(looked.cause());
                return;
            }
            Patience patience = before.seeing(looked.result().hands());
            if (looked.result().count() == 0) {
                settled.complete();
            } else if (patience.isOver()) {
                work.unsettled()
                        .onSuccess(left -> LOG.warn("the walk goes on without: {}", left))
                        .<Void>mapEmpty()
                        .onComplete(settled);
            } else {
                worker.lookNow();
                vertx.setTimer(LOOK_EVERY_MILLIS, tick -> look(periodic, patience, settled));
            }
        });
    }
}
