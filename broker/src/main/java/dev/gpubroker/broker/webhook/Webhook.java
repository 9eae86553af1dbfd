package dev.gpubroker.broker.webhook;

import dev.gpubroker.broker.secret.SealedColumn;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint of a team.
 *
 * @param topics what it wants; none means all
 * @param secret sealed
 * @param oldSecret sealed; signs beside the new one until {@code oldUntil} (wall time)
 * @param offWhy why the broker switched it off; null if nobody did, or its team
 */
public record Webhook(
        String id,
        String team,
        URI url,
        List<String> topics,
        @Nullable String description,
        String secret,
        @Nullable String oldSecret,
        @Nullable Instant oldUntil,
        boolean enabled,
        @Nullable String offWhy,
        String createdBy,
        Instant createdAt,
        Instant updatedAt) {
    static final String TABLE = "webhook";
    private static final String ID = "webhook_id";

    /** What of this package is sealed. */
    public static final List<SealedColumn> SEALED =
            List.of(new SealedColumn(TABLE, ID, "secret"), new SealedColumn(TABLE, ID, "old_secret"));

    public Webhook {
        topics = List.copyOf(topics);
    }

    /** As far as its owner knows it by: without what may be a password in the path. */
    String shown() {
        return id + " (" + url.getHost() + ")";
    }
}
