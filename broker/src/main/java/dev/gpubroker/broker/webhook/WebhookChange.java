package dev.gpubroker.broker.webhook;

import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What becomes of an endpoint. Pure. */
final class WebhookChange {
    private WebhookChange() {}

    static Webhook switched(Webhook w, boolean enabled, @Nullable String offWhy, Instant now) {
        return new Webhook(
                w.id(),
                w.team(),
                w.url(),
                w.topics(),
                w.description(),
                w.secret(),
                w.oldSecret(),
                w.oldUntil(),
                enabled,
                offWhy,
                w.createdBy(),
                w.createdAt(),
                now);
    }

    static Webhook described(Webhook w, URI url, List<String> topics, @Nullable String description, Instant now) {
        return new Webhook(
                w.id(),
                w.team(),
                url,
                topics,
                description,
                w.secret(),
                w.oldSecret(),
                w.oldUntil(),
                w.enabled(),
                w.offWhy(),
                w.createdBy(),
                w.createdAt(),
                now);
    }

    /** @param until wall time until which the secret so far signs beside the new one */
    static Webhook rotated(Webhook w, String secret, Instant until, Instant now) {
        return new Webhook(
                w.id(),
                w.team(),
                w.url(),
                w.topics(),
                w.description(),
                secret,
                w.secret(),
                until,
                w.enabled(),
                w.offWhy(),
                w.createdBy(),
                w.createdAt(),
                now);
    }
}
