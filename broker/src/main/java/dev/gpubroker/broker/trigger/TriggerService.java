package dev.gpubroker.broker.trigger;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.delivery.DeliveryStore;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Cursor;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.net.OutboundGuard;
import dev.gpubroker.broker.net.RefusedAddress;
import dev.gpubroker.broker.secret.SecretBox;
import dev.gpubroker.broker.stored.Ids;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes and removes a team's triggers. */
final class TriggerService {
    private static final int MOST_OF_A_TEAM = 100;

    private final Database database;
    private final TriggerStore triggers;
    private final DeliveryStore deliveries;
    private final SecretBox box;
    private final OutboundGuard guard;
    private final RunnerStarts runners;
    private final InstantSource clock;
    private final InstantSource wall;

    TriggerService(
            Database database,
            TriggerStore triggers,
            DeliveryStore deliveries,
            SecretBox box,
            OutboundGuard guard,
            RunnerStarts runners,
            InstantSource clock,
            InstantSource wall) {
        this.database = database;
        this.triggers = triggers;
        this.deliveries = deliveries;
        this.box = box;
        this.guard = guard;
        this.runners = runners;
        this.clock = clock;
        this.wall = wall;
    }

    Future<List<Trigger>> list(Caller caller) {
        return triggers.list(caller.team());
    }

    Future<Trigger> read(Caller caller, String id) {
        return triggers.read(id)
                .map(found -> found.filter(trigger -> trigger.team().equals(caller.team()))
                        .orElseThrow(() -> notFound("trigger", "触发器", id)));
    }

    Future<Trigger> create(Caller caller, TriggerBody body) {
        Trigger.Target target = body.target();
        if (body.runner() != null && !runners.isPossible()) {
            throw new ApiProblem(Problem.invalidField(
                    "runner",
                    "not_available",
                    "cannot be used: this broker has no key to log in to machines; whoever runs it sets machineLogin",
                    "不可用：本系统没有登录机器的密钥；请管理员设置 machineLogin"));
        }
        Instant now = clock.instant();
        String id = Ids.next("trg", now);
        Trigger trigger = new Trigger(
                id,
                caller.team(),
                body.on() == null ? "active" : body.on(),
                body.matching(),
                body.triggerKind(),
                target,
                sealed(id, body.token()),
                sealed(id, body.apiToken()),
                body.runs(),
                caller.name(),
                now);
        return guard.check(target.server())
                .recover(fault -> Future.failedFuture(
                        fault instanceof RefusedAddress refused ? refused(trigger, refused) : fault))
                .compose(callable -> reservationIsOurs(trigger))
                .compose(ours -> triggers.list(caller.team()))
                .compose(all -> all.size() >= MOST_OF_A_TEAM
                        ? Future.failedFuture(tooMany())
                        : database.inTransaction(connection -> triggers.insert(connection, trigger)))
                .map(trigger);
    }

    private @Nullable String sealed(String id, @Nullable String secret) {
        return secret == null ? null : box.seal(Trigger.TABLE, id, secret);
    }

    private static ApiProblem refused(Trigger trigger, RefusedAddress why) {
        return new ApiProblem(Problem.invalidField(
                trigger.kind() == TriggerKind.GENERIC ? "url" : "server",
                "address",
                "cannot be called: " + why.getMessage(),
                "无法调用：" + why.whyZh()));
    }

    private Future<Void> reservationIsOurs(Trigger trigger) {
        String reservation = trigger.match().reservation();
        return reservation == null
                ? Future.succeededFuture()
                : triggers.stateOf(trigger.team(), reservation)
                        .map(state -> state.orElseThrow(() -> notFound("reservation", "预订", reservation)))
                        .mapEmpty();
    }

    Future<Void> delete(Caller caller, String id) {
        return database.inTransaction(connection -> triggers.delete(connection, caller.team(), id)
                .compose(found -> found
                        ? deliveries.delete(connection, id)
                        : Future.failedFuture(notFound("trigger", "触发器", id))));
    }

    Future<List<Delivery>> firings(
            Caller caller, String id, Delivery.@Nullable State state, @Nullable Cursor after, int limit) {
        return read(caller, id)
                .compose(trigger -> deliveries.list(
                        id, state, after == null ? null : after.at(), after == null ? null : after.id(), limit));
    }

    /** Again by hand, with the same run id. */
    Future<Delivery> fireAgain(Caller caller, String id, String firing) {
        return read(caller, id)
                .compose(trigger ->
                        database.inTransaction(connection -> deliveries.again(connection, id, firing, wall.instant())))
                .map(found -> found.orElseThrow(() -> notFound("firing", "触发记录", firing)));
    }

    private static ApiProblem notFound(String what, String whatZh, String id) {
        return new ApiProblem(404, "not_found", "There is no " + what + " " + id + ".", "没有" + whatZh + " " + id + "。");
    }

    private static ApiProblem tooMany() {
        return new ApiProblem(
                409,
                "too_many_triggers",
                "A team may have " + MOST_OF_A_TEAM + " triggers; remove one first.",
                "每个团队最多 " + MOST_OF_A_TEAM + " 个触发器；请先移除一个。");
    }
}
