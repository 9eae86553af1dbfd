package dev.gpubroker.broker.allocation;

import dev.gpubroker.broker.allocation.OutageEffects.Effect;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.IdempotencyTicket;
import dev.gpubroker.broker.schedule.DueHandler;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Declares and ends outages of own machines. Placing respects them; what is booked there already is looked at in the same
 * transaction, and again when one begins or runs out.
 */
public final class OutageService implements DueHandler {
    public static final String KIND = "outage";

    /** Who acts when an outage begins or runs out by itself. */
    private static final String BROKER = "broker";

    private final Database database;
    private final PoolStore pools;
    private final OutageStore outages;
    private final OutageEffects effects;
    private final DueWork work;
    private final ZoneId zone;
    private final InstantSource clock;

    /**
     * @param zone of times without offset
     * @param clock business time
     */
    public OutageService(
            Database database,
            PoolStore pools,
            OutageStore outages,
            OutageEffects effects,
            DueWork work,
            ZoneId zone,
            InstantSource clock) {
        this.database = database;
        this.pools = pools;
        this.outages = outages;
        this.effects = effects;
        this.work = work;
        this.zone = zone;
        this.clock = clock;
    }

    /** @param since also those that ended after it; null: only open ones */
    Future<List<Outage>> list(Caller caller, String pool, @Nullable Instant since) {
        return pool(caller, pool).compose(found -> outages.list(found.id(), clock.instant(), since));
    }

    /** Writes the outage, what becomes of reservations, and the answer together. */
    Future<ApiReply> declare(
            Caller caller,
            String pool,
            OutageBody body,
            @Nullable IdempotencyTicket ticket,
            BiFunction<Outage, List<Effect>, ApiReply> answer) {
        mustBeAdmin(caller);
        return pool(caller, pool)
                .compose(found -> {
                    Instant now = clock.instant();
                    Outage outage = body.toOutage(found, caller.name(), zone, now);
                    return database.inTransaction(connection -> locked(connection, ticket)
                            .compose(ours -> outages.lockNode(connection, outage.nodeId()))
                            .compose(alone -> outages.insert(connection, outage))
                            .compose(inserted -> inserted
                                    ? review(connection, outage, caller.name(), now)
                                    : Future.failedFuture(overlaps(outage)))
                            .compose(done -> schedule(connection, outage, now).map(done))
                            .compose(done -> answered(connection, ticket, answer.apply(outage, done))));
                })
                .onSuccess(committed -> work.lookNow());
    }

    /** Ends it now; ending it again changes nothing. */
    Future<ApiReply> end(
            Caller caller,
            String pool,
            String outageId,
            @Nullable IdempotencyTicket ticket,
            BiFunction<Outage, List<Effect>, ApiReply> answer) {
        mustBeAdmin(caller);
        return pool(caller, pool)
                .compose(found -> database.inTransaction(connection -> locked(connection, ticket)
                        .compose(ours -> outages.lock(connection, found.id(), outageId))
                        .map(known -> known.orElseThrow(() -> notFound("outage", "停用记录", outageId)))
                        .compose(outage -> ended(connection, found.id(), outage, caller.name(), answer))
                        .compose(reply -> answered(connection, ticket, reply))))
                .onSuccess(committed -> work.lookNow());
    }

    private Future<ApiReply> ended(
            SqlConnection connection,
            String poolId,
            Outage outage,
            String who,
            BiFunction<Outage, List<Effect>, ApiReply> answer) {
        Instant now = clock.instant();
        if (!outage.isOpen(now)) {
            return Future.succeededFuture(answer.apply(outage, List.of()));
        }
        return outages.end(connection, outage.id(), now)
                .compose(done -> review(connection, outage, who, now))
                .compose(done -> work.poke(connection, "waitlist", "all").map(done))
                .compose(done -> outages.lock(connection, poolId, outage.id())
                        .map(after -> answer.apply(after.orElseThrow(), done)));
    }

    private Future<List<Effect>> review(SqlConnection connection, Outage outage, String who, Instant now) {
        return outages.reservationsOn(connection, outage.id())
                .compose(ids -> effects.review(connection, ids, who, now));
    }

    /** Its begin and its end are instants at which something changes for who holds its GPUs. */
    private Future<Void> schedule(SqlConnection connection, Outage outage, Instant now) {
        return next(outage, now)
                .map(at -> work.schedule(connection, KIND, outage.poolId() + " " + outage.id(), at, false))
                .orElse(Future.succeededFuture());
    }

    private static Optional<Instant> next(Outage outage, Instant now) {
        if (outage.start().isAfter(now)) {
            return Optional.of(outage.start());
        }
        return Optional.ofNullable(outage.end()).filter(end -> end.isAfter(now));
    }

    /** It begins, or has run out: whoever waits for its machines is looked at again. */
    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        String[] subject = hold.item().subject().split(" ", 2);
        Instant now = clock.instant();
        return database.inTransaction(connection -> outages.lock(connection, subject[0], subject[1])
                .compose(found -> hold.stands(connection)
                        .compose(stands ->
                                stands && found.isPresent() && found.get().endedAt() == null
                                        ? turned(connection, found.get(), now)
                                        : Future.succeededFuture(Optional.<Next>empty()))));
    }

    private Future<Optional<Next>> turned(SqlConnection connection, Outage outage, Instant now) {
        return review(connection, outage, BROKER, now)
                .compose(done ->
                        outage.isOpen(now) ? Future.<Void>succeededFuture() : work.poke(connection, "waitlist", "all"))
                .map(done -> next(outage, now).flatMap(Next::at));
    }

    /** @param named id or name of a pool of the caller's team */
    private Future<OwnPool> pool(Caller caller, String named) {
        return pools.read(caller.team(), named).map(found -> found.orElseThrow(() -> notFound("pool", "资源池", named)));
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
                    "Only an administrator may take own machines out of order and back.",
                    "只有管理员可以停用或恢复自有机器。");
        }
    }

    private static ApiProblem notFound(String what, String whatZh, String id) {
        return new ApiProblem(404, "not_found", "There is no " + what + " " + id + ".", "没有" + whatZh + " " + id + "。");
    }

    private static ApiProblem overlaps(Outage outage) {
        return new ApiProblem(
                409,
                "outage_overlaps",
                "A GPU of " + outage.node()
                        + " is in another outage at that time; end that one first, or name the others.",
                outage.node() + " 的部分 GPU 在该时段已登记停用；请先结束原记录，或只登记其余 GPU。");
    }
}
