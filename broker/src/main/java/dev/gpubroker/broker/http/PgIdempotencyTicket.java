package dev.gpubroker.broker.http;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;

/** A ticket whose row is in the same database as the bookings. */
final class PgIdempotencyTicket implements IdempotencyTicket {
    private final String team;
    private final String key;
    private final long fence;
    private volatile boolean answered;

    PgIdempotencyTicket(String team, String key, long fence) {
        this.team = team;
        this.key = key;
        this.fence = fence;
    }

    @Override
    public String team() {
        return team;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public long fence() {
        return fence;
    }

    @Override
    public Future<Void> lockIn(SqlConnection transaction) {
        return PgIdempotencyStore.lock(transaction, this).compose(PgIdempotencyTicket::onlyIfOurs);
    }

    @Override
    public Future<Void> answerIn(SqlConnection transaction, ApiReply answer) {
        return PgIdempotencyStore.store(transaction, this, answer)
                .onSuccess(stored -> answered = stored)
                .compose(PgIdempotencyTicket::onlyIfOurs);
    }

    /** Whether a transaction has stored the answer; if that was not committed, its request did not succeed either. */
    boolean isAnswered() {
        return answered;
    }

    private static Future<Void> onlyIfOurs(boolean ours) {
        return ours
                ? Future.succeededFuture()
                : Future.failedFuture(new ApiProblem(Idempotency.inProgress(Duration.ofSeconds(1))));
    }
}
