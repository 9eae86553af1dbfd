package dev.gpubroker.broker.lease;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.stored.Ids;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** Leases GPUs to jobs: asked for, waited for, kept alive, given back. */
final class LeaseService {
    private final Database database;
    private final LeaseStore leases;
    private final LeaseTargets targets;
    private final LeaseSources sources;
    private final LeaseTransition transition;
    private final LeaseWatch watch;
    private final DueWork due;
    private final InstantSource clock;

    LeaseService(
            Database database,
            LeaseStore leases,
            LeaseTargets targets,
            LeaseSources sources,
            LeaseTransition transition,
            LeaseWatch watch,
            DueWork due,
            InstantSource clock) {
        this.database = database;
        this.leases = leases;
        this.targets = targets;
        this.sources = sources;
        this.transition = transition;
        this.watch = watch;
        this.due = due;
        this.clock = clock;
    }

    /** What runs in the transaction before and after: the idempotency key's lock, and the answer's storing. */
    interface Frame {
        Future<Void> before(SqlConnection connection);

        Future<Void> after(SqlConnection connection, Lease lease);
    }

    /**
     * Grants it at once if there is room and nobody waits who could use it; else it joins the line, whose next walk is due at
     * once. Refused, and not stored, where it does not want to wait.
     */
    Future<Lease> create(String team, String owner, LeaseBody body, Frame frame) {
        LeaseBody.Times times = body.checked();
        return targets.of(team, body)
                .map(target -> new LeaseWish(
                        team,
                        owner,
                        body.title(),
                        target,
                        body.gpus(),
                        times.ttl(),
                        times.maxDuration(),
                        times.maxWait()))
                .compose(wish -> sources.look().of(wish).compose(found -> write(wish, found, frame)))
                .onSuccess(done -> due.lookNow());
    }

    private Future<Lease> write(LeaseWish wish, List<LeaseSource> found, Frame frame) {
        Instant now = clock.instant();
        Lease lease = Lease.queued(Ids.next("lse", now), wish, now);
        return database.inTransaction(connection -> frame.before(connection)
                .compose(locked -> leases.somebodyWaits(connection, wish, now))
                .compose(waits -> leases.insert(connection, lease).map(waits))
                .compose(waits -> grantOrQueue(connection, lease, waits ? List.of() : found, now))
                .compose(written -> frame.after(connection, written).map(written)));
    }

    private Future<Lease> grantOrQueue(SqlConnection connection, Lease lease, List<LeaseSource> open, Instant now) {
        return transition.grant(connection, lease, open, now).compose(granted -> {
            if (granted.isPresent()) {
                return Future.succeededFuture(granted.get().lease());
            }
            if (lease.wish().maxWait().isZero()) {
                return Future.failedFuture(noCapacity(lease.wish()));
            }
            return due.schedule(connection, LeaseStep.KIND, lease.id(), lease.waitsUntil(), false)
                    .compose(done -> transition.wake(connection, lease))
                    .map(lease);
        });
    }

    private static ApiProblem noCapacity(LeaseWish wish) {
        return new ApiProblem(
                409,
                "no_capacity",
                wish.gpus() + " GPUs of " + wish.target().name()
                        + " are not free, or somebody waits for them already, and maxWait is zero.",
                wish.target().name() + " 没有 " + wish.gpus() + " 张空闲 GPU（或已有人在排队），且 maxWait 为零。");
    }

    /** Fails with 404 if the team has no such lease. */
    Future<Lease> read(String team, String id) {
        return leases.read(id)
                .map(found ->
                        found.filter(each -> each.wish().team().equals(team)).orElseThrow(() -> notFound(id)));
    }

    /** Answers when its state has changed, at the latest after {@code atMost}. */
    Future<Lease> await(String team, String id, Duration atMost) {
        return read(team, id)
                .compose(lease -> atMost.isZero() || lease.state().isEnded()
                        ? Future.succeededFuture(lease)
                        : watch.change(id, lease.state(), atMost).compose(changed -> read(team, id)));
    }

    /**
     * Succeeds when its state is another than the one seen, at the latest after {@code atMost}.
     *
     * @return false if the caller had better come again later: the broker stops, or too many wait
     */
    Future<Boolean> changeOf(Lease seen, Duration atMost) {
        return watch.change(seen.id(), seen.state(), atMost);
    }

    Future<List<Lease>> list(LeaseStore.Filter filter) {
        return leases.list(filter);
    }

    /** Its place in the line: 1 = first. */
    Future<Integer> position(Lease lease) {
        return leases.position(lease);
    }

    /** Its job lives. Fails with 409 if it is held no more, so that the job stops using GPUs that are another's. */
    Future<Lease> beat(String team, String id) {
        Instant now = clock.instant();
        return leases.beat(team, id, now)
                .compose(noted -> noted.isPresent()
                        ? Future.succeededFuture(noted.get())
                        : database.inTransaction(connection ->
                                        lock(connection, team, id).compose(lease -> late(connection, lease, now)))
                                .onSuccess(done -> watch.changed(id))
                                .map(LeaseService::mustHold));
    }

    private Future<Lease> late(SqlConnection connection, Lease lease, Instant now) {
        if (!lease.state().holds()) {
            return Future.succeededFuture(lease);
        }
        if (!now.isBefore(requireNonNull(lease.life().endsAt()))) {
            return due.poke(connection, LeaseStep.KIND, lease.id()).map(lease);
        }
        if (lease.state() == LeaseState.HELD) {
            return Future.succeededFuture(lease);
        }
        Lease revived = lease.revived(now);
        return leases.update(connection, revived)
                .compose(done -> due.poke(connection, LeaseStep.KIND, lease.id()))
                .map(revived);
    }

    private static Lease mustHold(Lease lease) {
        if (lease.state() == LeaseState.HELD) {
            return lease;
        }
        throw new LeaseEnded(lease);
    }

    /** Gives it back, or withdraws it from the line; doing it again changes nothing. */
    Future<Lease> end(String team, String who, String id) {
        Instant now = clock.instant();
        return database.inTransaction(connection -> lock(connection, team, id)
                        .compose(lease -> lease.state().isEnded()
                                ? Future.succeededFuture(lease)
                                : transition.end(
                                        connection,
                                        lease,
                                        LeaseState.RELEASED,
                                        (lease.state().holds() ? "given back by " : "withdrawn by ") + who,
                                        now)))
                .onSuccess(done -> {
                    watch.changed(id);
                    due.lookNow();
                });
    }

    private Future<Lease> lock(SqlConnection connection, String team, String id) {
        return leases.lock(connection, id)
                .map(found ->
                        found.filter(each -> each.wish().team().equals(team)).orElseThrow(() -> notFound(id)));
    }

    static ApiProblem notFound(String id) {
        return new ApiProblem(404, "not_found", "There is no lease " + id + ".", "没有租约 " + id + "。");
    }

    /** The job thinks that it holds something, and does not. */
    static final class LeaseEnded extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Lease lease;

        LeaseEnded(Lease lease) {
            super(lease.id() + " is " + lease.state(), null, false, false);
            this.lease = lease;
        }

        Lease lease() {
            return lease;
        }
    }
}
