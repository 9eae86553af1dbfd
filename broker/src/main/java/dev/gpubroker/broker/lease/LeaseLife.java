package dev.gpubroker.broker.lease;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What has become of a lease.
 *
 * @param why it ended, for people
 * @param reservation inside which it is or was held; null while it waits, and for GPUs of a pool's own
 * @param heartbeatAt when its job was last heard of; the grant counts
 * @param staleAt since when it is stale
 * @param endsAt when it must have been given back
 */
public record LeaseLife(
        LeaseState state,
        @Nullable String why,
        @Nullable String reservation,
        @Nullable Instant heldAt,
        @Nullable Instant heartbeatAt,
        @Nullable Instant staleAt,
        @Nullable Instant endsAt,
        @Nullable Instant endedAt) {
    static LeaseLife queued() {
        return new LeaseLife(LeaseState.QUEUED, null, null, null, null, null, null, null);
    }
}
