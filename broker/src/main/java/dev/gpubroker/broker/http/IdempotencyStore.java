package dev.gpubroker.broker.http;

import io.vertx.core.Future;
import java.time.Duration;

/** Remembers idempotency keys and the answers that belong to them. Works in wall time, whatever the demo clock says. */
public interface IdempotencyStore {
    /** How long the first request may work before another may take its key over. */
    Duration LOCK = Duration.ofSeconds(30);
    /** How long an answer is given again. */
    Duration KEPT = Duration.ofHours(24);

    /**
     * Starts a request, or tells why not.
     *
     * @param requestHash of method, path and body; the same key with another hash is another request
     */
    Future<IdempotencyStart> begin(String team, String key, byte[] requestHash);

    /**
     * Stores an answer that no transaction has stored. Does nothing if the key has been answered or taken over since.
     */
    Future<Void> finish(IdempotencyTicket ticket, ApiReply answer);

    /** Forgets a key after a refusal that is not kept, so that the same request may be sent again. */
    Future<Void> release(IdempotencyTicket ticket);

    /** Deletes keys first used longer ago than this, except those being worked on; answers how many. */
    Future<Integer> expire(Duration olderThan);
}
