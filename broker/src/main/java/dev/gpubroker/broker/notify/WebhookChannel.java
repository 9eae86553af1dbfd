package dev.gpubroker.broker.notify;

import dev.gpubroker.broker.config.Notifications.Webhook;
import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.WebClient;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A POST of {@code {id, type, timestamp, data}} with the headers of Standard Webhooks: {@code webhook-id} is the same on
 * every try, {@code webhook-signature} is {@code v1,} and the base64 of HMAC-SHA256 over {@code id.timestamp.body}.
 */
final class WebhookChannel implements Channel {
    private static final long TIMEOUT_MILLIS = 10_000;

    private final WebClient client;
    private final Webhook target;
    private final InstantSource wall;

    WebhookChannel(WebClient client, Webhook target, InstantSource wall) {
        this.client = client;
        this.target = target;
        this.wall = wall;
    }

    @Override
    public boolean wants(Message message) {
        return true;
    }

    @Override
    public Future<Void> send(Message message) {
        String id = "msg_" + message.id();
        String timestamp = Long.toString(wall.instant().getEpochSecond());
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("id", id);
        document.put("type", message.topic());
        document.put("timestamp", message.createdAt());
        document.put("data", message.body());
        String body = dev.gpubroker.broker.stored.StoredJson.write(document);
        HttpRequest<Buffer> request = client.postAbs(target.url().toString())
                .timeout(TIMEOUT_MILLIS)
                .followRedirects(false)
                .putHeader("content-type", "application/json")
                .putHeader("webhook-id", id)
                .putHeader("webhook-timestamp", timestamp);
        Secret secret = target.secret();
        if (secret != null) {
            request.putHeader("webhook-signature", "v1," + signature(secret, id + "." + timestamp + "." + body));
        }
        return request.sendBuffer(Buffer.buffer(body))
                .compose(response -> response.statusCode() / 100 == 2
                        ? Future.succeededFuture()
                        : Future.failedFuture("the webhook answered " + response.statusCode()));
    }

    static String signature(Secret secret, String signed) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.value().getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return Base64.getEncoder().encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has HmacSHA256", missing);
        }
    }
}
