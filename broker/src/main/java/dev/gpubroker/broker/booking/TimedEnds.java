package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.SupportsTimedEnd;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.platform.Operation;
import dev.gpubroker.broker.platform.Platforms;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The instants at which platforms end machines by themselves; each lies a grace after the reservation's end. */
final class TimedEnds {
    private static final Logger LOG = LoggerFactory.getLogger(TimedEnds.class);

    private final Platforms platforms;
    private final Supplier<Policy> policy;

    TimedEnds(Platforms platforms, Supplier<Policy> policy) {
        this.platforms = platforms;
        this.policy = policy;
    }

    /** Whether the platform ends them by itself. */
    boolean has(Claim claim) {
        return platforms
                .account(claim.account())
                .map(account -> account.capabilities().timedEnd())
                .orElse(false);
    }

    /** Whether those that the platform ends by itself would end later if told to; asks nobody. */
    Future<Boolean> canMove(List<Claim> claims) {
        Claim first = claims.get(0);
        return has(first)
                ? platforms.call(
                        first.account(),
                        first.region(),
                        Operation.MOVE_END,
                        adapter -> adapter instanceof SupportsTimedEnd)
                : Future.succeededFuture(true);
    }

    /** Moves all of them; fails at the first that cannot be moved, and leaves it to the caller to move the others back. */
    Future<Void> move(List<Claim> claims, Instant end) {
        Future<Void> all = Future.succeededFuture();
        for (Claim claim : claims) {
            all = all.compose(done -> has(claim) ? move(claim, end) : Future.succeededFuture());
        }
        return all;
    }

    private Future<Void> move(Claim claim, Instant end) {
        Instant timedEnd = end.plus(policy.get().endGrace());
        return platforms
                .call(claim.account(), claim.region(), Operation.MOVE_END, adapter -> {
                    if (!(adapter instanceof SupportsTimedEnd timed)) {
                        return false; // No fault of the platform's, so no breaker is to count it.
                    }
                    timed.moveEnd(Objects.requireNonNull(claim.ref(), "what was bought has a reference"), timedEnd);
                    return true;
                })
                .compose(moved -> moved ? Future.succeededFuture() : Future.failedFuture(new Fixed()));
    }

    /** The platform ends the machines at the time they were bought for, and cannot be told another. */
    static final class Fixed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Fixed() {
            super("the platform's own end cannot be moved", null, false, false);
        }
    }

    /** Where they are later than need be, nothing is lost but the last safeguard's promptness: ours ends them on time. */
    Future<Void> tryMove(List<Claim> claims, Instant end) {
        return move(claims, end).recover(fault -> {
            if (fault instanceof Fixed) {
                return Future.succeededFuture(); // Never to be moved; ours ends them on time.
            }
            LOG.warn(
                    "the platform's own end of {} was not moved to {}",
                    claims.get(0).key(),
                    end,
                    fault);
            return Future.succeededFuture();
        });
    }
}
