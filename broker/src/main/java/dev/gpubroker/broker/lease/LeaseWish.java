package dev.gpubroker.broker.lease;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is asked for.
 *
 * @param owner who asks
 * @param title of the job, for people
 * @param ttl without a heartbeat for so long it is stale, for as long again it is released
 * @param maxDuration how long it may be held, from the instant it is granted; waiting does not count
 * @param maxWait how long it waits in line; zero = not at all
 */
public record LeaseWish(
        String team,
        String owner,
        @Nullable String title,
        LeaseTarget target,
        int gpus,
        Duration ttl,
        Duration maxDuration,
        Duration maxWait) {}
