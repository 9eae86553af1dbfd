package dev.gpubroker.broker.http;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;

/**
 * The right to carry out the request behind an idempotency key, for as long as nobody has taken it over. A booking
 * locks it as the first thing in its transaction and stores the answer in it as the last, so that either both the
 * effect and the answer exist or neither does.
 */
public interface IdempotencyTicket {
    String team();

    String key();

    /** Larger than that of every earlier ticket; the row in the database names the one that still counts. */
    long fence();

    /**
     * Locks the key's row until the transaction ends. Fails with an {@link ApiProblem} (409
     * {@code idempotency_in_progress}) if another request has taken the key over or answered it.
     */
    Future<Void> lockIn(SqlConnection transaction);

    /** Stores the answer in the same transaction. Fails as {@link #lockIn} does. */
    Future<Void> answerIn(SqlConnection transaction, ApiReply answer);
}
