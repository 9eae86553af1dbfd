package dev.gpubroker.broker.lease;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.broker.allocation.LeaseAllocations;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.schedule.DueHandler;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Takes one lease on by one step: the end of its wait, silence, the end of its time. Everything is read from its row, so a
 * heartbeat moves no due row: the step comes at the old instant, sees that it was heard of, and comes again later.
 */
final class LeaseStep implements DueHandler {
    static final String KIND = "lease";

    private final Database database;
    private final LeaseStore leases;
    private final LeaseAllocations allocations;
    private final LeaseTransition transition;
    private final LeaseWatch watch;
    private final DueWork due;
    private final InstantSource clock;

    LeaseStep(
            Database database,
            LeaseStore leases,
            LeaseAllocations allocations,
            LeaseTransition transition,
            LeaseWatch watch,
            DueWork due,
            InstantSource clock) {
        this.database = database;
        this.leases = leases;
        this.allocations = allocations;
        this.transition = transition;
        this.watch = watch;
        this.due = due;
        this.clock = clock;
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        String id = hold.item().subject();
        Instant now = clock.instant();
        return leases.read(id)
                .compose(found -> found.isPresent() && isHeardOf(found.get(), now)
                        ? unchanged(found.get())
                        : Future.succeededFuture(Optional.<Instant>empty()))
                .compose(
                        next -> next.isPresent() ? Future.succeededFuture(Next.at(next.get())) : change(hold, id, now));
    }

    private static boolean isHeardOf(Lease lease, Instant now) {
        return lease.state() == LeaseState.HELD && now.isBefore(silentAt(lease)) && now.isBefore(endsAt(lease));
    }

    /** Most looks find a job that was heard of; they cost no transaction. */
    private Future<Optional<Instant>> unchanged(Lease lease) {
        Instant next = silentAt(lease).isBefore(endsAt(lease)) ? silentAt(lease) : endsAt(lease);
        if (lease.life().reservation() == null) {
            return Future.succeededFuture(Optional.of(next));
        }
        return allocations
                .coveredUntil(database.pool(), lease.id())
                .map(end -> end.map(each -> possibleEnd(lease, each))
                        .filter(endsAt(lease)::equals)
                        .map(same -> next));
    }

    private Future<Optional<Next>> change(Hold hold, String id, Instant now) {
        return database.inTransaction(connection -> leases.lock(connection, id)
                        .compose(found -> hold.stands(connection)
                                .compose(stands -> stands && found.isPresent()
                                        ? step(connection, found.get(), now)
                                        : Future.succeededFuture(Optional.<Next>empty()))))
                .onSuccess(done -> {
                    watch.changed(id);
                    due.lookNow();
                });
    }

    private Future<Optional<Next>> step(SqlConnection connection, Lease lease, Instant now) {
        switch (lease.state()) {
            case QUEUED:
                return waiting(connection, lease, now);
            case HELD:
            case STALE:
                return lease.life().reservation() == null
                        ? holding(connection, lease, now)
                        : inside(connection, lease, now);
            default:
                return Future.succeededFuture(Optional.empty());
        }
    }

    private Future<Optional<Next>> waiting(SqlConnection connection, Lease lease, Instant now) {
        if (!now.isBefore(lease.waitsUntil())) {
            return end(
                    connection,
                    lease,
                    LeaseState.TIMED_OUT,
                    "nothing was free for " + lease.wish().maxWait(),
                    now);
        }
        return leases.hasNoTarget(connection, lease.id())
                .compose(gone -> gone
                        ? end(
                                connection,
                                lease,
                                LeaseState.EXPIRED,
                                lease.wish().target().kind().wireName() + " "
                                        + lease.wish().target().name() + " is no more",
                                now)
                        : Future.succeededFuture(Next.at(lease.waitsUntil())));
    }

    // ---- holding --------------------------------------------------------------------------------------------

    /** What is held inside a reservation ends with it, and goes on with it when that is extended. */
    private Future<Optional<Next>> inside(SqlConnection connection, Lease lease, Instant now) {
        String parent = requireNonNull(lease.life().reservation(), "held inside one");
        return allocations.coveredUntil(connection, lease.id()).compose(end -> {
            if (end.isEmpty()) {
                return end(
                        connection,
                        lease,
                        LeaseState.EXPIRED,
                        "reservation " + parent + " has ended, or no longer has these GPUs",
                        now);
            }
            Instant possible = possibleEnd(lease, end.get());
            if (possible.equals(endsAt(lease))) {
                return holding(connection, lease, now);
            }
            Future<Optional<Instant>> moved = possible.isAfter(endsAt(lease))
                    ? allocations.extendInside(connection, parent, lease.id(), possible, now)
                    : Future.succeededFuture(Optional.of(possible));
            return moved.compose(reached -> {
                Lease next = lease.endingAt(reached.orElse(endsAt(lease)));
                return leases.update(connection, next).compose(done -> holding(connection, next, now));
            });
        });
    }

    private Future<Optional<Next>> holding(SqlConnection connection, Lease lease, Instant now) {
        if (!now.isBefore(endsAt(lease))) {
            boolean whole =
                    !endsAt(lease).isBefore(heldAt(lease).plus(lease.wish().maxDuration()));
            String why = whole
                    ? "it was held for " + lease.wish().maxDuration()
                    : "reservation " + lease.life().reservation() + " has ended";
            return end(connection, lease, LeaseState.EXPIRED, why, now);
        }
        return lease.state() == LeaseState.HELD ? heard(connection, lease, now) : silent(connection, lease, now);
    }

    private Future<Optional<Next>> heard(SqlConnection connection, Lease lease, Instant now) {
        if (now.isBefore(silentAt(lease))) {
            return next(lease, silentAt(lease));
        }
        return leases.update(connection, lease.stale(now))
                .compose(done -> next(lease, now.plus(lease.wish().ttl())));
    }

    private Future<Optional<Next>> silent(SqlConnection connection, Lease lease, Instant now) {
        Instant until = requireNonNull(lease.life().staleAt()).plus(lease.wish().ttl());
        return now.isBefore(until)
                ? next(lease, until)
                : end(
                        connection,
                        lease,
                        LeaseState.RELEASED,
                        "its job was not heard of since " + lease.life().heartbeatAt(),
                        now);
    }

    private static Future<Optional<Next>> next(Lease lease, Instant at) {
        return Future.succeededFuture(Next.at(at.isBefore(endsAt(lease)) ? at : endsAt(lease)));
    }

    private Future<Optional<Next>> end(
            SqlConnection connection, Lease lease, LeaseState state, String why, Instant now) {
        return transition.end(connection, lease, state, why, now).map(ended -> Optional.empty());
    }

    private static Instant heldAt(Lease lease) {
        return requireNonNull(lease.life().heldAt(), "it is held");
    }

    /** @param parentsEnd when its reservation ends */
    private static Instant possibleEnd(Lease lease, Instant parentsEnd) {
        Instant wanted = heldAt(lease).plus(lease.wish().maxDuration());
        return parentsEnd.isBefore(wanted) ? parentsEnd : wanted;
    }

    private static Instant silentAt(Lease lease) {
        return requireNonNull(lease.life().heartbeatAt(), "it is held")
                .plus(lease.wish().ttl());
    }

    private static Instant endsAt(Lease lease) {
        return requireNonNull(lease.life().endsAt(), "it is held");
    }
}
