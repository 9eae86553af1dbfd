package dev.gpubroker.broker.webhook;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.delivery.DeliveryStore;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Cursor;
import dev.gpubroker.broker.net.OutboundGuard;
import dev.gpubroker.broker.net.RefusedAddress;
import dev.gpubroker.broker.stored.Ids;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes, changes and removes a team's endpoints, and sends again by hand. */
final class WebhookService {
    /** How long the old secret signs beside the new one. */
    static final Duration OVERLAP = Duration.ofHours(24);
    /** Each message costs a row and a call for every endpoint. */
    private static final int MOST_OF_A_TEAM = 20;

    private final Database database;
    private final WebhookStore webhooks;
    private final WebhookSecrets secrets;
    private final SwitchOff switchOff;
    private final DeliveryStore deliveries;
    private final OutboundGuard guard;
    private final InstantSource clock;
    private final InstantSource wall;

    WebhookService(
            Database database,
            WebhookStore webhooks,
            WebhookSecrets secrets,
            SwitchOff switchOff,
            DeliveryStore deliveries,
            OutboundGuard guard,
            InstantSource clock,
            InstantSource wall) {
        this.database = database;
        this.webhooks = webhooks;
        this.secrets = secrets;
        this.switchOff = switchOff;
        this.deliveries = deliveries;
        this.guard = guard;
        this.clock = clock;
        this.wall = wall;
    }

    /** An endpoint with the secret in clear, which nobody is shown again. */
    record WithSecret(Webhook webhook, String secret) {}

    Future<List<Webhook>> list(Caller caller) {
        return webhooks.list(caller.team());
    }

    Future<Webhook> read(Caller caller, String id) {
        return webhooks.read(id).map(found -> ours(caller, found, id));
    }

    Future<WithSecret> create(Caller caller, WebhookBody body) {
        URI url = WebhookBody.address(String.valueOf(body.url()));
        List<String> topics = WebhookBody.known(body.topics() == null ? List.of() : body.topics());
        Instant now = clock.instant();
        String id = Ids.next("whk", now);
        WebhookSecrets.Fresh secret = secrets.fresh(id);
        Webhook webhook = new Webhook(
                id,
                caller.team(),
                url,
                topics,
                body.description(),
                secret.sealed(),
                null,
                null,
                true,
                null,
                caller.name(),
                now,
                now);
        return callable(url)
                .compose(checked -> webhooks.list(caller.team()))
                .compose(all -> all.size() >= MOST_OF_A_TEAM
                        ? Future.failedFuture(tooMany())
                        : database.inTransaction(connection -> webhooks.insert(connection, webhook)))
                .compose(inserted -> inserted
                        ? Future.succeededFuture(new WithSecret(webhook, secret.text()))
                        : Future.failedFuture(exists()));
    }

    Future<Webhook> change(Caller caller, String id, WebhookBody body) {
        URI url = body.url() == null ? null : WebhookBody.address(body.url());
        List<String> topics = body.topics() == null ? null : WebhookBody.known(body.topics());
        return (url == null ? Future.<Void>succeededFuture() : callable(url))
                .compose(checked -> locked(caller, id, (connection, webhook) -> {
                    Instant now = clock.instant();
                    Webhook next = WebhookChange.described(
                            webhook,
                            url == null ? webhook.url() : url,
                            topics == null ? webhook.topics() : topics,
                            body.description() == null ? webhook.description() : body.description(),
                            now);
                    return switched(connection, next, body.enabled(), now)
                            .compose(after -> webhooks.update(connection, after)
                                    .compose(done ->
                                            done ? Future.succeededFuture(after) : Future.failedFuture(exists())));
                }));
    }

    private Future<Webhook> switched(
            SqlConnection connection, Webhook webhook, @Nullable Boolean enabled, Instant now) {
        if (enabled == null || enabled == webhook.enabled()) {
            return Future.succeededFuture(webhook);
        }
        Webhook next = WebhookChange.switched(webhook, enabled, null, now);
        Future<Void> also = enabled
                ? switchOff.settled(connection, webhook.id(), "it was switched on")
                : deliveries.fail(connection, webhook.id(), "the endpoint was switched off", wall.instant());
        return also.map(next);
    }

    Future<Void> delete(Caller caller, String id) {
        return locked(
                caller,
                id,
                (connection, webhook) -> webhooks.delete(connection, id)
                        .compose(done -> deliveries.delete(connection, id))
                        .compose(done -> switchOff.settled(connection, id, "it was removed")));
    }

    /** A new secret; the one so far signs beside it for a day. */
    Future<WithSecret> rotate(Caller caller, String id) {
        return locked(caller, id, (connection, webhook) -> {
            WebhookSecrets.Fresh secret = secrets.fresh(id);
            Webhook next = WebhookChange.rotated(
                    webhook, secret.sealed(), wall.instant().plus(OVERLAP), clock.instant());
            return webhooks.update(connection, next).map(new WithSecret(next, secret.text()));
        });
    }

    Future<List<Delivery>> deliveries(
            Caller caller, String id, Delivery.@Nullable State state, @Nullable Cursor after, int limit) {
        return read(caller, id)
                .compose(webhook -> deliveries.list(
                        id, state, after == null ? null : after.at(), after == null ? null : after.id(), limit));
    }

    /** From the begin of the schedule, whatever became of it. */
    Future<Delivery> resend(Caller caller, String id, String deliveryId) {
        return locked(caller, id, (connection, webhook) -> {
            if (!webhook.enabled()) {
                return Future.failedFuture(new ApiProblem(
                        409,
                        "wrong_state",
                        "The endpoint is switched off; switch it on first.",
                        "该 webhook 已停用；请先启用。"));
            }
            return deliveries
                    .again(connection, id, deliveryId, wall.instant())
                    .map(found -> found.orElseThrow(() -> notFound("delivery", "投递", deliveryId)));
        });
    }

    private <T> Future<T> locked(
            Caller caller, String id, java.util.function.BiFunction<SqlConnection, Webhook, Future<T>> work) {
        Function<SqlConnection, Future<T>> whole = connection ->
                webhooks.lock(connection, id).compose(found -> work.apply(connection, ours(caller, found, id)));
        return database.inTransaction(whole);
    }

    private Future<Void> callable(URI url) {
        return guard.check(url)
                .recover(fault -> Future.failedFuture(
                        fault instanceof RefusedAddress refused
                                ? new ApiProblem(
                                        WebhookBody.refused(String.valueOf(refused.getMessage()), refused.whyZh()))
                                : fault));
    }

    private static Webhook ours(Caller caller, Optional<Webhook> found, String id) {
        return found.filter(webhook -> webhook.team().equals(caller.team()))
                .orElseThrow(() -> notFound("webhook", " webhook", id));
    }

    private static ApiProblem notFound(String what, String whatZh, String id) {
        return new ApiProblem(404, "not_found", "There is no " + what + " " + id + ".", "没有" + whatZh + " " + id + "。");
    }

    private static ApiProblem exists() {
        return new ApiProblem(
                409,
                "webhook_exists",
                "Your team has a webhook at this address. Change that one; if its secret is lost, rotate it.",
                "本团队在该地址已有 webhook。请修改原有的；若密钥遗失，请轮换。");
    }

    private static ApiProblem tooMany() {
        return new ApiProblem(
                409,
                "too_many_webhooks",
                "A team may have " + MOST_OF_A_TEAM + " webhooks; remove one first.",
                "每个团队最多 " + MOST_OF_A_TEAM + " 个 webhook；请先移除一个。");
    }
}
