package dev.gpubroker.broker.webhook;

import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.delivery.DeliveryStore;
import dev.gpubroker.broker.delivery.Outcome;
import dev.gpubroker.broker.delivery.Receivers;
import dev.gpubroker.broker.delivery.Schedule;
import dev.gpubroker.broker.net.CallFault;
import dev.gpubroker.broker.net.Outbound;
import dev.gpubroker.broker.net.RefusedAddress;
import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/**
 * POSTs a message as Standard Webhooks has it: {@code webhook-id} is the same on every try, timestamp and signature are new on
 * each. 2xx is delivered, 410 switches the endpoint off, and so does a schedule that ends without anything delivered, everything else is a failure, redirects too.
 */
final class WebhookSender implements Receivers {
    static final String KIND = "webhook";

    private static final int GONE = 410;
    private static final int MOST_ANSWER_BYTES = 8 * 1024;

    private final WebhookStore webhooks;
    private final WebhookSecrets secrets;
    private final SwitchOff switchOff;
    private final DeliveryStore deliveries;
    private final Outbound outbound;
    private final String installation;
    private final InstantSource wall;

    /** @param wall for signatures: receivers refuse what is older than some minutes by their own clock */
    WebhookSender(
            WebhookStore webhooks,
            WebhookSecrets secrets,
            SwitchOff switchOff,
            DeliveryStore deliveries,
            Outbound outbound,
            String installation,
            InstantSource wall) {
        this.webhooks = webhooks;
        this.secrets = secrets;
        this.switchOff = switchOff;
        this.deliveries = deliveries;
        this.outbound = outbound;
        this.installation = installation;
        this.wall = wall;
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public Future<List<String>> wanting(Message message) {
        String about = message.body().path("webhook").asText(); // Whom it is about knows it already.
        return webhooks.wanting(message.team(), message.topic())
                .map(ids -> ids.stream().filter(id -> !id.equals(about)).toList());
    }

    @Override
    public Future<Outcome> send(Delivery delivery, Message message) {
        return webhooks.read(delivery.lane()).compose(found -> {
            if (found.isEmpty()) {
                return Future.succeededFuture(Outcome.gone());
            }
            return found.get().enabled()
                    ? post(found.get(), delivery, message).compose(outcome -> afterAll(found.get(), delivery, outcome))
                    : Future.succeededFuture(Outcome.never(null, "the endpoint is switched off"));
        });
    }

    /**
     * An endpoint at which the schedule of a delivery ended, and nothing else arrived meanwhile, is switched off, so that its owner is
     * told: Standard Webhooks asks for the one and recommends the other.
     */
    private Future<Outcome> afterAll(Webhook webhook, Delivery delivery, Outcome outcome) {
        if (outcome.result() != Outcome.Result.AGAIN || !Schedule.isLast(delivery.step())) {
            return Future.succeededFuture(outcome);
        }
        return deliveries
                .arrivedSince(webhook.id(), delivery.createdAt())
                .compose(arrived ->
                        arrived ? Future.succeededFuture() : switchOff.off(webhook, SwitchOff.Reason.NOTHING_ARRIVED))
                .map(outcome);
    }

    /** Which message it is, wherever it comes from: several installations may have one receiver. */
    static String messageId(String installation, long outboxId) {
        return "msg_" + installation + "_" + outboxId;
    }

    private Future<Outcome> post(Webhook webhook, Delivery delivery, Message message) {
        Instant now = wall.instant();
        String id = messageId(installation, message.id());
        String body = Payload.of(message);
        Map<String, String> headers = Map.of(
                "Content-Type",
                "application/json",
                "User-Agent",
                "gpu-broker",
                "webhook-id",
                id,
                "webhook-timestamp",
                Long.toString(now.getEpochSecond()),
                "webhook-signature",
                Signature.of(secrets.keys(webhook, now), id, now.getEpochSecond(), body));
        return outbound.send(new Outbound.Call(
                        HttpMethod.POST,
                        webhook.url(),
                        headers,
                        Buffer.buffer(body),
                        MOST_ANSWER_BYTES,
                        delivery.tries() - 1))
                .compose(answer -> outcome(webhook, answer))
                .recover(WebhookSender::noAnswer);
    }

    private Future<Outcome> outcome(Webhook webhook, Outbound.Answer answer) {
        if (answer.isSuccess()) {
            return Future.succeededFuture(Outcome.delivered(answer.status()));
        }
        if (answer.status() == GONE) {
            return switchOff
                    .off(webhook, SwitchOff.Reason.GONE)
                    .map(done -> Outcome.never(GONE, SwitchOff.Reason.GONE.english()));
        }
        String why = answer.status() / 100 == 3
                ? "it answered " + answer.status() + "; redirects are not followed"
                : "it answered " + answer.status();
        return Future.succeededFuture(
                Outcome.again(answer.status(), why, answer.body().toString(StandardCharsets.UTF_8))
                        .withRetryAfter(answer.headers().get("retry-after")));
    }

    private static Future<Outcome> noAnswer(Throwable fault) {
        return fault instanceof CallFault || fault instanceof RefusedAddress
                ? Future.succeededFuture(Outcome.again(String.valueOf(fault.getMessage())))
                : Future.failedFuture(fault);
    }
}
