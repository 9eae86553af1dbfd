package dev.gpubroker.broker.inventory;

import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads that concurrent askers share, and whose answers are used again while they are young enough. Faults are shared by
 * those who wait for the same read and then forgotten. Safe for many threads.
 */
final class SharedReads<K, V> {
    /** Old answers beyond this go, the longest unused first. */
    private static final int MOST_KEPT = 2_000;

    private final InstantSource wall;
    private final Map<K, Future<V>> underWay = new HashMap<>();
    private final Map<K, Kept<V>> kept = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Kept<V>> eldest) {
            return size() > MOST_KEPT;
        }
    };
    private long generation;

    /** @param at wall time at which it was asked for */
    private record Kept<V>(V value, Instant at) {}

    SharedReads(InstantSource wall) {
        this.wall = wall;
    }

    /** @param maxAge an answer asked for no longer ago than this is used again; zero = none is */
    Future<V> get(K key, Duration maxAge, Supplier<Future<V>> read) {
        Instant now = wall.instant();
        Future<V> started;
        long asked;
        synchronized (this) {
            Kept<V> known = kept.get(key);
            if (known != null && !maxAge.isZero() && now.isBefore(known.at().plus(maxAge))) {
                return Future.succeededFuture(known.value());
            }
            Future<V> running = underWay.get(key);
            if (running != null) {
                return running;
            }
            started = read.get();
            asked = generation;
            if (!started.isComplete()) {
                underWay.put(key, started);
            }
        }
        started.onComplete(
                done -> arrived(key, started, maxAge.isZero() || done.failed() ? null : done.result(), now, asked));
        return started;
    }

    private synchronized void arrived(K key, Future<V> read, @Nullable V value, Instant at, long asked) {
        underWay.remove(key, read);
        if (value != null && asked == generation) {
            kept.put(key, new Kept<>(value, at));
        }
    }

    /** Forgets every answer, also those still on their way; who waits for them gets them. */
    synchronized void discard() {
        generation++;
        kept.clear();
        underWay.clear();
    }
}
