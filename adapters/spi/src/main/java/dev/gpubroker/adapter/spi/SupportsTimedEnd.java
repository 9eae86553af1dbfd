package dev.gpubroker.adapter.spi;

import java.time.Instant;

/** A platform that ends machines by itself at a given instant: the dead-man's switch. */
public interface SupportsTimedEnd {
    /** Moves the end of every machine of the reference; repeating it does no harm. */
    void moveEnd(PlatformRef ref, Instant end);
}
