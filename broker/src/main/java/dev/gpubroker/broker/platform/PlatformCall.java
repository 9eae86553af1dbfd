package dev.gpubroker.broker.platform;

import dev.gpubroker.adapter.spi.PlatformAdapter;

/** One call of an adapter; blocks. */
@FunctionalInterface
public interface PlatformCall<T> {
    T on(PlatformAdapter adapter);
}
