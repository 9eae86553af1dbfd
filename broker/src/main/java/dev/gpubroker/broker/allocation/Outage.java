package dev.gpubroker.broker.allocation;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * GPUs of an own machine that are out of order for a time.
 *
 * @param id {@code out_…}
 * @param gpus indexes, ascending
 * @param end exclusive; null while nobody knows
 * @param reason as a person gave it
 * @param endedAt when somebody ended it before its end, or at all
 */
public record Outage(
        String id,
        String poolId,
        String nodeId,
        String node,
        List<Integer> gpus,
        Instant start,
        @Nullable Instant end,
        String reason,
        String declaredBy,
        Instant createdAt,
        @Nullable Instant endedAt) {
    public Outage {
        requireNonNull(start, "start");
        requireNonNull(createdAt, "createdAt");
        gpus = gpus.stream().sorted().distinct().toList();
    }

    /** Whether it has not run out and nobody has ended it. */
    boolean isOpen(Instant now) {
        return endedAt == null && (end == null || now.isBefore(end));
    }
}
