package dev.gpubroker.broker.time;

import io.vertx.core.Future;

/** Asks the database for its time. */
@FunctionalInterface
public interface TimeSource {
    Future<DatabaseTime> read();
}
