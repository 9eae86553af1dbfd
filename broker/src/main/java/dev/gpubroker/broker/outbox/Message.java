package dev.gpubroker.broker.outbox;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * A committed message.
 *
 * @param id the same on every delivery
 * @param topic what happened, such as {@code reservation.offered}
 */
public record Message(long id, String team, String topic, JsonNode body, Instant createdAt, int tries) {}
