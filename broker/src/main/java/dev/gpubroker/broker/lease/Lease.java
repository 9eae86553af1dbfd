package dev.gpubroker.broker.lease;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One lease as the ledger holds it.
 *
 * @param passes how often somebody behind in the line was let by
 * @param life what has become of it so far
 * @param version grows by one with each change of state
 */
public record Lease(
        String id, LeaseWish wish, int priority, Instant joinedAt, int passes, LeaseLife life, long version) {
    static Lease queued(String id, LeaseWish wish, Instant now) {
        return new Lease(id, wish, 0, now, 0, LeaseLife.queued(), 1);
    }

    LeaseState state() {
        return life.state();
    }

    /** The instant until which it waits. */
    Instant waitsUntil() {
        return joinedAt.plus(wish.maxWait());
    }

    private Lease with(LeaseLife next) {
        if (!state().mayBecome(next.state())) {
            throw new IllegalStateException(id + " cannot go from " + state() + " to " + next.state());
        }
        return new Lease(id, wish, priority, joinedAt, passes, next, version + 1);
    }

    /** @param reservation inside which; null for GPUs of a pool's own */
    Lease held(@Nullable String reservation, Instant now, Instant endsAt) {
        return with(new LeaseLife(LeaseState.HELD, null, reservation, now, now, null, endsAt, null));
    }

    /** Heard of again after it had gone stale. */
    Lease revived(Instant now) {
        return with(new LeaseLife(
                LeaseState.HELD, null, life.reservation(), life.heldAt(), now, null, life.endsAt(), null));
    }

    Lease stale(Instant now) {
        return with(new LeaseLife(
                LeaseState.STALE,
                null,
                life.reservation(),
                life.heldAt(),
                life.heartbeatAt(),
                now,
                life.endsAt(),
                null));
    }

    Lease ended(LeaseState state, String why, Instant now) {
        return with(new LeaseLife(
                state, why, life.reservation(), life.heldAt(), life.heartbeatAt(), null, life.endsAt(), now));
    }

    Lease endingAt(Instant end) {
        LeaseLife moved = new LeaseLife(
                life.state(), null, life.reservation(), life.heldAt(), life.heartbeatAt(), life.staleAt(), end, null);
        return new Lease(id, wish, priority, joinedAt, passes, moved, version + 1);
    }
}
