package dev.gpubroker.broker.lease;

import dev.gpubroker.broker.allocation.LeaseAllocations;
import dev.gpubroker.broker.allocation.LeaseAllocations.Inside;
import dev.gpubroker.broker.allocation.LeaseAllocations.Taken;
import dev.gpubroker.broker.allocation.LeaseAllocations.Wish;
import dev.gpubroker.broker.booking.AlsoWaiting;
import dev.gpubroker.broker.booking.Waitlist;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Grants and ends leases, with their rectangles and what has to be woken, inside the caller's transaction. */
final class LeaseTransition {
    private final LeaseStore leases;
    private final LeaseAllocations allocations;
    private final DueWork due;

    LeaseTransition(LeaseStore leases, LeaseAllocations allocations, DueWork due) {
        this.leases = leases;
        this.allocations = allocations;
        this.due = due;
    }

    /** A lease that was granted, and where. */
    record Granted(Lease lease, LeaseSource source) {}

    /**
     * Takes GPUs of the first source that has room.
     *
     * @param lease locked, and waiting
     * @return empty, and nothing is written, if none has
     */
    Future<Optional<Granted>> grant(SqlConnection connection, Lease lease, List<LeaseSource> sources, Instant now) {
        if (sources.isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        LeaseSource source = sources.get(0);
        return take(connection, lease, source, now)
                .compose(taken -> taken.isPresent()
                        ? held(connection, lease, source, taken.get(), now).map(Optional::of)
                        : grant(connection, lease, sources.subList(1, sources.size()), now));
    }

    private Future<Optional<Taken>> take(SqlConnection connection, Lease lease, LeaseSource source, Instant now) {
        LeaseWish wish = lease.wish();
        Wish wanted = new Wish(lease.id(), wish.gpus(), wish.target().models(), now.plus(wish.maxDuration()));
        return source.isPool()
                ? allocations.takeOfPool(connection, source.ownPool(), wanted, now)
                : allocations.takeInside(connection, new Inside(source.id(), !source.named()), wanted, now);
    }

    private Future<Granted> held(SqlConnection connection, Lease lease, LeaseSource source, Taken taken, Instant now) {
        Lease held = lease.held(source.isPool() ? null : source.id(), now, taken.until());
        Instant silent = now.plus(lease.wish().ttl());
        Instant next = silent.isBefore(taken.until()) ? silent : taken.until();
        return leases.update(connection, held)
                .compose(done -> due.schedule(connection, LeaseStep.KIND, held.id(), next, false))
                .map(new Granted(held, source));
    }

    /** Ends it and wakes those who wait for what it had, or for what was kept for it. */
    Future<Lease> end(SqlConnection connection, Lease lease, LeaseState state, String why, Instant now) {
        Lease ended = lease.ended(state, why, now);
        return leases.update(connection, ended)
                .compose(done -> allocations.release(connection, lease.id(), now))
                .compose(done -> wake(connection, lease))
                .map(ended);
    }

    /**
     * Wakes the lines in which others wait for what a lease had, or in which it waits itself: that for pools, walked together
     * with reservations, and that for what is inside reservations.
     */
    Future<Void> wake(SqlConnection connection, Lease lease) {
        LeaseTarget.Kind kind = lease.wish().target().kind();
        boolean holds = lease.state().holds();
        boolean inside = holds ? lease.life().reservation() != null : kind != LeaseTarget.Kind.POOL;
        boolean pools = holds ? lease.life().reservation() == null : kind != LeaseTarget.Kind.RESERVATION;
        Future<Void> first =
                inside ? due.poke(connection, AlsoWaiting.INSIDE, AlsoWaiting.ALL) : Future.succeededFuture();
        return first.compose(
                done -> pools ? due.poke(connection, Waitlist.KIND, AlsoWaiting.ALL) : Future.succeededFuture());
    }
}
