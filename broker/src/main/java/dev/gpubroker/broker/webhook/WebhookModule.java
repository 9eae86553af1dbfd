package dev.gpubroker.broker.webhook;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.delivery.DeliveryStore;
import dev.gpubroker.broker.delivery.Receivers;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.net.Outbound;
import dev.gpubroker.broker.net.OutboundGuard;
import dev.gpubroker.broker.outbox.Outbox;
import dev.gpubroker.broker.secret.SecretBox;
import dev.gpubroker.broker.task.TaskKind;
import dev.gpubroker.broker.task.Tasks;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.time.ZoneId;

/** Builds the objects of this package by hand. */
public final class WebhookModule {
    private final WebhookStore webhooks;
    private final SwitchOff switchOff;
    private final WebhookSender sender;
    private final WebhookService service;
    private final Needs needs;

    /** What the package needs of others. */
    public record Needs(
            Database database,
            SecretBox box,
            DeliveryStore deliveries,
            Tasks tasks,
            OutboundGuard guard,
            Outbound outbound,
            String installation,
            ZoneId zone,
            InstantSource clock,
            InstantSource wall) {}

    public WebhookModule(Needs needs) {
        this.needs = needs;
        this.webhooks = new PgWebhookStore(needs.database());
        WebhookSecrets secrets = new WebhookSecrets(needs.box());
        this.switchOff = new SwitchOff(
                needs.database(),
                webhooks,
                needs.deliveries(),
                new Outbox(),
                needs.tasks(),
                needs.clock(),
                needs.wall());
        this.sender = new WebhookSender(
                webhooks, secrets, switchOff, needs.deliveries(), needs.outbound(), needs.installation(), needs.wall());
        this.service = new WebhookService(
                needs.database(),
                webhooks,
                secrets,
                switchOff,
                needs.deliveries(),
                needs.guard(),
                needs.clock(),
                needs.wall());
    }

    public Receivers receivers() {
        return sender;
    }

    /** What people are asked by this package. */
    public TaskKind task() {
        return switchOff;
    }

    /** @param resent called when there is something to send */
    public Routes routes(Runnable resent) {
        return new WebhookRoutes(service, needs.installation(), resent, needs.zone(), needs.wall());
    }

    /** Old secrets that sign no more. */
    public Future<Void> clean() {
        return webhooks.forgetOldSecrets(needs.wall().instant());
    }
}
