package dev.gpubroker.broker.platform;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Threads for one platform, and a bound on what may wait for them: its silence costs other platforms nothing. */
final class Lane {
    /** Longer than any adapter's own time-outs; a thread that blocks longer is worth a line in the log. */
    private static final long LONGEST_CALL_MINUTES = 3;

    private final Bulkhead bulkhead;
    private final WorkerExecutor pool;

    Lane(Vertx vertx, String name, Limits limits) {
        this.pool = vertx.createSharedWorkerExecutor(
                "platform-" + name, limits.threads(), LONGEST_CALL_MINUTES, TimeUnit.MINUTES);
        this.bulkhead = Bulkhead.of(
                name,
                BulkheadConfig.custom()
                        .maxConcurrentCalls(limits.underWay())
                        .maxWaitDuration(Duration.ZERO) // Waiting would block the event loop.
                        .writableStackTraceEnabled(false)
                        .build());
    }

    /** Whether there is room; then the caller {@link #leave()}s when it is done. */
    boolean enter() {
        return bulkhead.tryAcquirePermission();
    }

    void leave() {
        bulkhead.onComplete();
    }

    /** Runs on a thread of the lane, in no order; the answer comes back on the caller's context. */
    <T> Future<T> run(Callable<T> call) {
        return pool.executeBlocking(call, false);
    }

    Future<Void> close() {
        return pool.close();
    }
}
