package dev.gpubroker.broker.identity;

import java.time.Duration;
import java.time.Instant;

/**
 * What a job holds instead of its OIDC token, without its secret.
 *
 * @param name of the job, as shown in events
 * @param renewableUntil it can renew itself until then and no longer
 */
record Ticket(String id, String ruleId, String name, Instant createdAt, Instant expiresAt, Instant renewableUntil) {
    /** Long enough for a job that polls, short enough for one that leaked. */
    static final Duration LIFE = Duration.ofMinutes(15);
}
