package dev.gpubroker.broker.webhook;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.delivery.DeliveryStore;
import dev.gpubroker.broker.outbox.Outbox;
import dev.gpubroker.broker.task.Task;
import dev.gpubroker.broker.task.TaskKind;
import dev.gpubroker.broker.task.Tasks;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Switches an endpoint off that says it is gone, ends what waits for it, and tells: the team's other endpoints and the mail by a
 * message, whoever runs the broker by a task.
 */
final class SwitchOff implements TaskKind {
    static final String KIND = "webhook_off";

    private static final String SWITCH_ON = "switch_on";

    /** Why the broker switches an endpoint off. */
    enum Reason {
        GONE("it answered 410 Gone", "对方返回 410 Gone"),
        NOTHING_ARRIVED("nothing that was sent there arrived for more than three days", "三天多来没有任何投递成功");

        private final String english;
        private final String chinese;

        Reason(String english, String chinese) {
            this.english = english;
            this.chinese = chinese;
        }

        String english() {
            return english;
        }
    }

    private final Database database;
    private final WebhookStore webhooks;
    private final DeliveryStore deliveries;
    private final Outbox outbox;
    private final Tasks tasks;
    private final InstantSource clock;
    private final InstantSource wall;

    SwitchOff(
            Database database,
            WebhookStore webhooks,
            DeliveryStore deliveries,
            Outbox outbox,
            Tasks tasks,
            InstantSource clock,
            InstantSource wall) {
        this.database = database;
        this.webhooks = webhooks;
        this.deliveries = deliveries;
        this.outbox = outbox;
        this.tasks = tasks;
        this.clock = clock;
        this.wall = wall;
    }

    /** @param asCalled as it was when it answered: one that was changed meanwhile did not say so */
    Future<Void> off(Webhook asCalled, Reason why) {
        return database.inTransaction(connection -> webhooks.lock(connection, asCalled.id())
                .compose(found -> found.filter(now -> now.enabled() && now.url().equals(asCalled.url()))
                        .map(now -> off(connection, now, why))
                        .orElse(Future.succeededFuture())));
    }

    private Future<Void> off(SqlConnection connection, Webhook webhook, Reason reason) {
        String why = reason.english;
        Instant now = clock.instant();
        Map<String, String> news = new LinkedHashMap<>();
        news.put("webhook", webhook.id());
        news.put("host", webhook.url().getHost());
        news.put("why", why);
        return webhooks.update(connection, WebhookChange.switched(webhook, false, why, now))
                .compose(done ->
                        deliveries.fail(connection, webhook.id(), "the endpoint was switched off", wall.instant()))
                .compose(done -> tasks.open(connection, about(webhook, reason), now))
                .compose(done -> outbox.add(connection, webhook.team(), Topics.SWITCHED_OFF, news, now));
    }

    private static Tasks.Draft about(Webhook webhook, Reason reason) {
        return new Tasks.Draft(
                KIND,
                webhook.id(),
                null,
                "The webhook " + webhook.shown() + " of team " + webhook.team() + " was switched off: " + reason.english
                        + ".",
                "团队 " + webhook.team() + " 的 webhook " + webhook.shown() + " 已停用：" + reason.chinese + "。",
                JsonNodeFactory.instance.objectNode());
    }

    @Override
    public String name() {
        return KIND;
    }

    @Override
    public List<Choice> choices() {
        return List.of(
                new Choice(SWITCH_ON, "news is sent there again from now on", "从现在起恢复发送", false),
                new Choice("leave", "it stays off", "保持停用", false));
    }

    @Override
    public Future<Void> answered(SqlConnection connection, Task task, String answer, String who) {
        if (!answer.equals(SWITCH_ON)) {
            return Future.succeededFuture();
        }
        return webhooks.lock(connection, task.subject())
                .compose(found -> found.isEmpty()
                        ? Future.succeededFuture()
                        : webhooks.update(connection, WebhookChange.switched(found.get(), true, null, clock.instant()))
                                .mapEmpty());
    }

    /** Somebody switched it on, or removed it. */
    Future<Void> settled(SqlConnection connection, String webhookId, String why) {
        return tasks.close(connection, KIND, webhookId, why, clock.instant());
    }
}
