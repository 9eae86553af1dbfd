package dev.gpubroker.broker.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One decision that waits for a person, or was made. */
public record Task(
        String id,
        String kind,
        String subject,
        @Nullable String reservationId,
        String detail,
        String detailZh,
        ObjectNode facts,
        Instant createdAt,
        @Nullable Instant doneAt,
        @Nullable String answer,
        @Nullable String answeredBy,
        @Nullable String note) {
    public boolean isOpen() {
        return doneAt == null;
    }
}
