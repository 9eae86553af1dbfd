package dev.gpubroker.broker.webhook;

import dev.gpubroker.broker.secret.SecretBox;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The secrets that endpoints check signatures with: {@code whsec_} and the base64 of 32 random bytes. */
final class WebhookSecrets {
    private static final String PREFIX = "whsec_";
    private static final int BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretBox box;

    WebhookSecrets(SecretBox box) {
        this.box = box;
    }

    /**
     * @param text shown once
     * @param sealed what is kept
     */
    record Fresh(String text, String sealed) {}

    Fresh fresh(String webhookId) {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        String text = PREFIX + Base64.getEncoder().encodeToString(bytes);
        return new Fresh(text, box.seal(Webhook.TABLE, webhookId, text));
    }

    /** The keys that sign now, newest first. */
    List<byte[]> keys(Webhook webhook, Instant wall) {
        List<byte[]> keys = new ArrayList<>();
        keys.add(key(webhook, webhook.secret()));
        if (webhook.oldSecret() != null && webhook.oldUntil() != null && wall.isBefore(webhook.oldUntil())) {
            keys.add(key(webhook, webhook.oldSecret()));
        }
        return keys;
    }

    private byte[] key(Webhook webhook, String sealed) {
        String text = box.open(Webhook.TABLE, webhook.id(), sealed);
        return Base64.getDecoder().decode(text.substring(PREFIX.length()));
    }
}
