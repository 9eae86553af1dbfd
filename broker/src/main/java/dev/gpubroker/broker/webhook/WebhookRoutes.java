package dev.gpubroker.broker.webhook;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Cursor;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.request.RequestJson;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code /v1/webhooks}. Answers with a secret are never kept, so these calls take no idempotency key. */
final class WebhookRoutes implements Routes {
    private static final int PAGE = 50;

    private final WebhookService webhooks;
    private final String installation;
    private final Runnable resent;
    private final ZoneId zone;
    private final InstantSource wall;

    /**
     * @param resent called when there is something to send
     * @param zone in which times are shown, since these calls name none
     */
    WebhookRoutes(WebhookService webhooks, String installation, Runnable resent, ZoneId zone, InstantSource wall) {
        this.webhooks = webhooks;
        this.installation = installation;
        this.resent = resent;
        this.zone = zone;
        this.wall = wall;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listWebhooks", this::listWebhooks)
                .on("createWebhook", this::createWebhook)
                .on("readWebhook", this::readWebhook)
                .on("changeWebhook", this::changeWebhook)
                .on("deleteWebhook", this::deleteWebhook)
                .on("rotateWebhookSecret", this::rotateWebhookSecret)
                .on("listWebhookDeliveries", this::listWebhookDeliveries)
                .on("resendWebhookDelivery", this::resendWebhookDelivery);
    }

    private Future<ApiReply> listWebhooks(ApiRequest request) {
        return webhooks.list(request.caller()).map(all -> {
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            ArrayNode items = body.putArray("items");
            all.forEach(webhook -> items.add(json(webhook, null)));
            return ApiReply.ok(body);
        });
    }

    private Future<ApiReply> createWebhook(ApiRequest request) {
        return webhooks.create(request.caller(), request.bodyAs(WebhookBody.class))
                .map(made ->
                        ApiReply.created("/v1/webhooks/" + made.webhook().id(), json(made.webhook(), made.secret())));
    }

    private Future<ApiReply> readWebhook(ApiRequest request) {
        return webhooks.read(request.caller(), request.path("id")).map(webhook -> ApiReply.ok(json(webhook, null)));
    }

    private Future<ApiReply> changeWebhook(ApiRequest request) {
        return webhooks.change(request.caller(), request.path("id"), request.bodyAs(WebhookBody.class))
                .map(webhook -> ApiReply.ok(json(webhook, null)));
    }

    private Future<ApiReply> deleteWebhook(ApiRequest request) {
        return webhooks.delete(request.caller(), request.path("id")).map(done -> ApiReply.noContent());
    }

    private Future<ApiReply> rotateWebhookSecret(ApiRequest request) {
        return webhooks.rotate(request.caller(), request.path("id"))
                .map(rotated -> ApiReply.ok(json(rotated.webhook(), rotated.secret())));
    }

    private Future<ApiReply> listWebhookDeliveries(ApiRequest request) {
        String id = request.path("id");
        String state = request.query("state");
        int limit = request.queryInt("limit", PAGE);
        String filter = "deliveries " + request.caller().team() + " " + id + " " + state;
        String cursor = request.query("cursor");
        return webhooks.deliveries(
                        request.caller(),
                        id,
                        state == null ? null : Delivery.State.valueOf(state.toUpperCase(Locale.ROOT)),
                        cursor == null ? null : Cursor.decoded(cursor, filter),
                        limit + 1)
                .map(found -> ApiReply.ok(page(found, limit, filter)));
    }

    /** @param found one more than the page holds, if there are more */
    private ObjectNode page(List<Delivery> found, int limit, String filter) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode items = body.putArray("items");
        found.stream().limit(limit).forEach(delivery -> items.add(json(delivery)));
        Delivery last = found.size() > limit ? found.get(limit - 1) : null;
        body.put("nextCursor", last == null ? null : new Cursor(last.createdAt(), last.id()).encoded(filter));
        return body;
    }

    private Future<ApiReply> resendWebhookDelivery(ApiRequest request) {
        return webhooks.resend(request.caller(), request.path("id"), request.path("deliveryId"))
                .onSuccess(done -> resent.run())
                .map(delivery -> ApiReply.accepted(json(delivery)));
    }

    private ObjectNode json(Webhook webhook, @Nullable String secret) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", webhook.id());
        json.put("url", webhook.url().toString());
        ArrayNode topics = json.putArray("topics");
        webhook.topics().forEach(topics::add);
        json.put("description", webhook.description());
        json.put("enabled", webhook.enabled());
        json.put("offWhy", webhook.offWhy());
        boolean overlap = webhook.oldUntil() != null && wall.instant().isBefore(webhook.oldUntil());
        json.put("oldSecretUntil", overlap ? timeOrNull(webhook.oldUntil()) : null);
        json.put("createdBy", webhook.createdBy());
        json.put("createdAt", RequestJson.time(webhook.createdAt(), zone));
        json.put("updatedAt", RequestJson.time(webhook.updatedAt(), zone));
        if (secret != null) {
            json.put("secret", secret);
        }
        return json;
    }

    private ObjectNode json(Delivery delivery) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", delivery.id());
        json.put("webhook", delivery.lane());
        json.put("message", WebhookSender.messageId(installation, delivery.messageId()));
        json.put("topic", delivery.topic());
        json.put("reservation", delivery.subject());
        json.put("state", delivery.state().wireName());
        json.put("tries", delivery.tries());
        json.put("createdAt", RequestJson.time(delivery.createdAt(), zone));
        json.put("nextAt", timeOrNull(delivery.nextAt()));
        json.put("endedAt", timeOrNull(delivery.endedAt()));
        json.put("lastStatus", delivery.status());
        json.put("lastWhy", delivery.why());
        json.put("lastAnswer", delivery.excerpt());
        return json;
    }

    private @Nullable String timeOrNull(@Nullable Instant instant) {
        return instant == null ? null : RequestJson.time(instant, zone);
    }
}
