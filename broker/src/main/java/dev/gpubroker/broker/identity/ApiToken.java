package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.http.Scope;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A token that an administrator made, without its secret.
 *
 * @param cap null where nothing limits what it may book
 * @param expiresAt null = never
 */
record ApiToken(
        String id,
        String team,
        String name,
        Set<Scope> scopes,
        @Nullable Cap cap,
        String createdBy,
        Instant createdAt,
        @Nullable Instant expiresAt) {
    ApiToken {
        scopes = Set.copyOf(scopes);
    }
}
