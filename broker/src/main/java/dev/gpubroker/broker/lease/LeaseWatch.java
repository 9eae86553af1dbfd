package dev.gpubroker.broker.lease;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets callers wait for a lease's next state without holding a thread or a connection. A change by this broker wakes them at
 * once; one by another broker is seen by a look each second, one query for all who wait.
 */
final class LeaseWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseWatch.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    /** More than these are answered at once and ask again. */
    private static final int MOST = 10_000;

    private final Vertx vertx;
    private final LeaseStore leases;
    private final long timer;
    private final Set<Waiter> waiters = new HashSet<>();
    private boolean looking;
    private boolean closed;

    LeaseWatch(Vertx vertx, LeaseStore leases) {
        this.vertx = vertx;
        this.leases = leases;
        this.timer = vertx.setPeriodic(LOOK_EVERY.toMillis(), tick -> look());
    }

    /** @param seen the state that the caller knows */
    private record Waiter(String id, LeaseState seen, Promise<Boolean> changed) {
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /**
     * Succeeds when the lease is no longer in the state seen, after {@code atMost}, or when the broker stops.
     *
     * @return false if it is no use to wait again: the broker stops, or too many wait already
     */
    Future<Boolean> change(String id, LeaseState seen, Duration atMost) {
        Waiter waiter = new Waiter(id, seen, Promise.promise());
        synchronized (this) {
            if (closed || waiters.size() >= MOST) {
                return Future.succeededFuture(false);
            }
            waiters.add(waiter);
        }
        long end = vertx.setTimer(
                Math.max(1, atMost.toMillis()), tick -> waiter.changed().tryComplete(true));
        return waiter.changed().future().onComplete(done -> {
            vertx.cancelTimer(end);
            synchronized (this) {
                waiters.remove(waiter);
            }
        });
    }

    /** This broker has written something about the lease. */
    void changed(String id) {
        waiting(Set.of(id)).forEach(each -> each.changed().tryComplete(true));
    }

    private synchronized List<Waiter> waiting(Set<String> ids) {
        return waiters.stream().filter(each -> ids.contains(each.id())).toList();
    }

    private void look() {
        Set<String> ids = new HashSet<>();
        synchronized (this) {
            if (looking || waiters.isEmpty()) {
                return;
            }
            looking = true;
            waiters.forEach(each -> ids.add(each.id()));
        }
        leases.states(ids).onComplete(read -> {
            synchronized (this) {
                looking = false;
            }
            if (read.failed()) {
                LOG.warn("leases cannot be read; looked at again in a second", read.cause());
            } else {
                tell(read.result());
            }
        });
    }

    private void tell(Map<String, LeaseState> states) {
        waiting(states.keySet()).stream()
                .filter(each -> states.get(each.id()) != each.seen())
                .forEach(each -> each.changed().tryComplete(true));
    }

    /** Answers everybody, so that a stop need not wait for them. */
    @Override
    public void close() {
        vertx.cancelTimer(timer);
        List<Waiter> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(waiters);
        }
        all.forEach(each -> each.changed().tryComplete(false));
    }
}
