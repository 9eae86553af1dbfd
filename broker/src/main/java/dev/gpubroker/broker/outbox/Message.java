package dev.gpubroker.broker.outbox;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A committed message.
 *
 * @param id the same on every delivery
 * @param topic what happened, such as {@code reservation.offered}
 */
public record Message(long id, String team, String topic, JsonNode body, Instant createdAt, int tries) {
    /** What it is about: the id of a reservation, if it is about one. */
    public @Nullable String subject() {
        return body.path("reservation").textValue();
    }
}
