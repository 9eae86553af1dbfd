package dev.gpubroker.adapter.aliyun;

import dev.gpubroker.adapter.spi.PlatformFault;
import java.time.Duration;

/** Bounds an operation of several calls: once its time is used up, no further call begins. */
final class Budget {
    private final long startedAt = System.nanoTime();
    private final Duration length;

    Budget(Duration length) {
        this.length = length;
    }

    boolean isLeft() {
        return System.nanoTime() - startedAt < length.toNanos();
    }

    /** @throws PlatformFault when no time is left */
    void requireLeft(String action) {
        if (!isLeft()) {
            throw new PlatformFault(PlatformFault.Kind.TIMED_OUT, action + ": no time left for a further call");
        }
    }
}
