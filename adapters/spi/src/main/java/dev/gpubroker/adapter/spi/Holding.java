package dev.gpubroker.adapter.spi;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A machine, pool or bought window on the platform that carries our installation's mark.
 *
 * @param key null where the mark holds no readable key
 */
public record Holding(PlatformRef ref, @Nullable ClaimKey key, Instant createdAt, ClaimStatus.Phase phase) {}
