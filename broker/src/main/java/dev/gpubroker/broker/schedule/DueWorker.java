package dev.gpubroker.broker.schedule;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does due work, many items at once, each under a fenced hold that is renewed while it is in hand. Runs on one event loop,
 * so its own state needs no lock.
 */
public final class DueWorker {
    private static final Logger LOG = LoggerFactory.getLogger(DueWorker.class);

    /** Bounds what one broker has in hand; platform lanes bound what of that calls out. */
    private static final int IN_HAND = 64;
    /** A hold outlives two missed renewals; a dead broker's work waits no longer than this. */
    private static final Duration HOLD = Duration.ofSeconds(20);

    private static final Duration RENEW = Duration.ofSeconds(5);
    /** A call is sent only with so much of the hold left, which covers the time until it is on the wire. */
    private static final Duration MARGIN = Duration.ofSeconds(8);
    /** Work due within the minute is not left to a wake-up of a whole minute. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private final Vertx vertx;
    private final Context context;
    private final PgDueWork work;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final String name;
    private final Consumer<Instant> wakeAt;
    private final Map<String, DueHandler> handlers = new HashMap<>();
    private final Map<Long, InHand> inHand = new HashMap<>();
    private long taken;
    private boolean looking;
    private boolean lookAgain;
    private boolean stopped;
    private Instant soonest = Instant.MAX;

    /**
     * @param wakeAt asks the scheduler for a wake-up at a business instant that is more than a minute away
     * @param name of this broker, for the operator
     */
    public DueWorker(
            Vertx vertx,
            PgDueWork work,
            InstantSource clock,
            LongSupplier nanoTime,
            String name,
            Consumer<Instant> wakeAt) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.work = work;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.name = name;
        this.wakeAt = wakeAt;
    }

    public DueWorker on(String kind, DueHandler handler) {
        handlers.put(kind, handler);
        return this;
    }

    public void start() {
        // Nobody is told when a dead broker's holds run out, so whoever renews its own looks for those of others as
        // well.
        vertx.setPeriodic(
                RENEW.toMillis(),
                timer -> context.runOnContext(tick -> {
                    renewAll();
                    look();
                }));
        lookNow();
    }

    /** Takes nothing more; what is in hand goes on to its end. */
    public Future<Void> stop() {
        stopped = true;
        return Future.join(inHand.values().stream().map(InHand::done).toList())
                .otherwiseEmpty()
                .mapEmpty();
    }

    /** Looks for due work, from any thread. */
    public void lookNow() {
        context.runOnContext(run -> look());
    }

    private void look() {
        if (looking) {
            lookAgain = true;
            return;
        }
        int room = IN_HAND - inHand.size();
        if (stopped || room <= 0) {
            return;
        }
        looking = true;
        long asked = nanoTime.getAsLong(); // From before the question, so that no hold seems longer than it is.
        work.take(name, HOLD, handlers.keySet(), room)
                .onComplete(taken -> context.runOnContext(run -> {
                    looking = false;
                    if (taken.succeeded()) {
                        taken.result().forEach(item -> begin(item, asked));
                        if (taken.result().size() == room || lookAgain) {
                            lookAgain = false;
                            look();
                        }
                    } else {
                        LOG.warn("due work cannot be read; the next wake-up looks again", taken.cause());
                        lookAgain = false;
                    }
                }));
    }

    private void begin(DueItem item, long heldSince) {
        long id = ++taken;
        InHand hold = new InHand(item, heldSince);
        DueHandler handler = Objects.requireNonNull(handlers.get(item.kind()), "only kinds with a handler are taken");
        Future<Optional<DueHandler.Next>> handled;
        try {
            handled = handler.handle(hold);
        } catch (RuntimeException fault) {
            handled = Future.failedFuture(fault);
        }
        hold.done = handled.transform(
                        result -> result.succeeded() ? finish(item, result.result()) : failed(item, result.cause()))
                .otherwise(fault -> {
                    LOG.warn("{} {} could not be put back; its hold runs out", item.kind(), item.subject(), fault);
                    return null;
                });
        inHand.put(id, hold);
        hold.done.onComplete(done -> context.runOnContext(run -> {
            inHand.remove(id);
            look();
        }));
    }

    private Future<Void> finish(DueItem item, Optional<DueHandler.Next> next) {
        if (next.isEmpty()) {
            return work.remove(item, clock.instant());
        }
        wake(next.get().at());
        return work.finish(item, next.get().at(), next.get().periodic(), 0);
    }

    /** Tried again later and later: a fault of ours must neither stop the work nor fill the log. */
    private Future<Void> failed(DueItem item, Throwable fault) {
        int tries = item.tries() + 1;
        Duration pause = Duration.ofSeconds(1L << Math.min(tries, 8));
        LOG.error("{} {} failed, try {}; next in {}", item.kind(), item.subject(), tries, pause, fault);
        Instant next = clock.instant().plus(pause);
        wake(next);
        return work.finish(item, next, false, tries);
    }

    /** Lets somebody look at a business instant: a timer of our own when it is near, else the scheduler's wake-up. */
    public void wake(Instant at) {
        Duration wait = Duration.between(clock.instant(), at);
        if (wait.compareTo(SOON) > 0) {
            wakeAt.accept(at);
            return;
        }
        context.runOnContext(run -> {
            if (at.isBefore(soonest) || soonest.isBefore(clock.instant())) {
                soonest = at;
                vertx.setTimer(
                        Math.max(1, wait.toMillis() + 5),
                        timer -> context.runOnContext(tick -> {
                            soonest = Instant.MAX;
                            look();
                        }));
            }
        });
    }

    private void renewAll() {
        List<InHand> held = List.copyOf(inHand.values());
        held.forEach(InHand::renew);
    }

    private final class InHand implements DueHandler.Hold {
        private final DueItem item;
        private volatile long heldSince;
        private Future<Void> done = Future.succeededFuture();

        InHand(DueItem item, long heldSince) {
            this.item = item;
            this.heldSince = heldSince;
        }

        @Override
        public DueItem item() {
            return item;
        }

        Future<Void> done() {
            return done;
        }

        void renew() {
            long asked = nanoTime.getAsLong();
            work.renew(item, HOLD).onSuccess(mine -> {
                if (mine) {
                    heldSince = asked; // As when it was taken: from before the question.
                }
            });
        }

        @Override
        public Future<Boolean> mayStillSend() {
            if (!hasTime()) {
                return Future.succeededFuture(false);
            }
            return work.stands(work.client(), item).map(stands -> stands && hasTime());
        }

        private boolean hasTime() {
            return nanoTime.getAsLong() - heldSince < HOLD.minus(MARGIN).toNanos();
        }

        @Override
        public Future<Boolean> isAskedAgain() {
            return work.isAskedAgain(work.client(), item);
        }

        @Override
        public Future<Boolean> stands(SqlConnection connection) {
            return work.stands(connection, item);
        }
    }
}
