package dev.gpubroker.broker.allocation;

import dev.gpubroker.broker.allocation.PoolStore.InTheWay;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.IdempotencyTicket;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Registers and removes own machines. Whatever adds capacity wakes those who wait for it. */
public final class PoolService {
    /** Bookings named when a pool cannot be removed; who has more needs a list, not an error. */
    private static final int MOST_CONFLICTS = 100;

    private final Database database;
    private final PoolStore pools;
    private final GpuCatalogue catalogue;
    private final DueWork work;
    private final InstantSource clock;

    /** @param clock business time */
    public PoolService(Database database, PoolStore pools, GpuCatalogue catalogue, DueWork work, InstantSource clock) {
        this.database = database;
        this.pools = pools;
        this.catalogue = catalogue;
        this.work = work;
        this.clock = clock;
    }

    /** By name. */
    Future<List<OwnPool>> list(Caller caller) {
        return pools.list(caller.team());
    }

    /** Fails with 404 if the caller's team has no such pool. */
    Future<OwnPool> read(Caller caller, String named) {
        return pools.read(caller.team(), named).map(pool -> pool.orElseThrow(() -> notFound(named)));
    }

    /** Stores the pool and the answer together. */
    Future<ApiReply> create(
            Caller caller, PoolBody body, @Nullable IdempotencyTicket ticket, Function<OwnPool, ApiReply> answer) {
        mustBeAdmin(caller);
        OwnPool pool = body.toPool(caller.team(), catalogue, clock.instant());
        ApiReply reply = answer.apply(pool);
        return database.inTransaction(connection -> locked(connection, ticket)
                        .compose(ours -> pools.insert(connection, pool))
                        .compose(taken -> taken.isEmpty()
                                ? work.poke(connection, "waitlist", "all")
                                : Future.failedFuture(nameTaken(taken.get())))
                        .compose(woken -> answered(connection, ticket, reply)))
                .onSuccess(committed -> work.lookNow());
    }

    /** Removes the pool, or fails with 409 and what is booked in it. */
    Future<ApiReply> delete(
            Caller caller,
            String named,
            @Nullable IdempotencyTicket ticket,
            Function<List<InTheWay>, List<?>> conflicts) {
        mustBeAdmin(caller);
        return read(caller, named).compose(pool -> delete(caller, pool.id(), ticket, conflicts, named));
    }

    private Future<ApiReply> delete(
            Caller caller,
            String poolId,
            @Nullable IdempotencyTicket ticket,
            Function<List<InTheWay>, List<?>> conflicts,
            String named) {
        return database.inTransaction(connection -> locked(connection, ticket)
                .compose(ours -> pools.lock(connection, caller.team(), poolId))
                .compose(found ->
                        found ? pools.booked(connection, poolId, MOST_CONFLICTS) : Future.failedFuture(notFound(named)))
                .compose(booked -> booked.isEmpty()
                        ? pools.delete(connection, poolId)
                        : Future.failedFuture(inUse(conflicts.apply(booked))))
                .compose(gone -> work.poke(connection, "waitlist", "all")) // Who waits for it alone waits in vain.
                .compose(gone -> answered(connection, ticket, ApiReply.noContent())));
    }

    private static Future<Void> locked(SqlConnection connection, @Nullable IdempotencyTicket ticket) {
        return ticket == null ? Future.succeededFuture() : ticket.lockIn(connection);
    }

    private static Future<ApiReply> answered(
            SqlConnection connection, @Nullable IdempotencyTicket ticket, ApiReply reply) {
        return ticket == null
                ? Future.succeededFuture(reply)
                : ticket.answerIn(connection, reply).map(reply);
    }

    private static void mustBeAdmin(Caller caller) {
        if (!caller.admin()) {
            throw new ApiProblem(
                    403,
                    "not_allowed",
                    "Only an administrator may register or remove own machines.",
                    "只有管理员可以登记或移除自有机器。");
        }
    }

    private static ApiProblem notFound(String poolId) {
        return new ApiProblem(404, "not_found", "There is no pool " + poolId + ".", "没有资源池 " + poolId + "。");
    }

    private static ApiProblem nameTaken(String name) {
        return new ApiProblem(
                409,
                "name_taken",
                "Another pool of this team is called " + name + "; choose another name, or remove that pool first.",
                "本团队已有同名资源池 " + name + "；请换一个名称，或先移除原有的资源池。");
    }

    private static ApiProblem inUse(List<?> conflicts) {
        return new ApiProblem(Problem.of(
                        409,
                        "pool_in_use",
                        "The pool has reservations that have not ended; cancel or await them first, see conflicts.",
                        "资源池仍有未结束的预订；请先取消或等待其结束，见 conflicts。")
                .with("conflicts", conflicts));
    }
}
