package dev.gpubroker.broker.http;

import java.time.Duration;

/** What becomes of a request that carries an idempotency key. */
public sealed interface IdempotencyStart {
    /** Nobody has carried it out yet: do so with this ticket. */
    record Started(IdempotencyTicket ticket) implements IdempotencyStart {}

    /** It has been answered: give the same answer again. */
    record Replay(ApiReply answer) implements IdempotencyStart {}

    /** The key stands for another request. */
    record Reused() implements IdempotencyStart {}

    /** Somebody is carrying it out; ask again after a while. */
    record InProgress(Duration retryAfter) implements IdempotencyStart {}

    /** Handles every case; a new case becomes a new method of {@code Cases}, so no caller can miss it. */
    default <T> T fold(Cases<T> cases) {
        if (this instanceof Started started) {
            return cases.started(started);
        }
        if (this instanceof Replay replay) {
            return cases.replay(replay);
        }
        return this instanceof InProgress running ? cases.inProgress(running) : cases.reused();
    }

    /** One method for each case. */
    interface Cases<T> {
        T started(Started started);

        T replay(Replay replay);

        T inProgress(InProgress running);

        T reused();
    }
}
