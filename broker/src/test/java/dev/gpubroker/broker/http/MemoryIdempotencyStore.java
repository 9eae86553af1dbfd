package dev.gpubroker.broker.http;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keys without a database, for tests of what stands around them. */
final class MemoryIdempotencyStore implements IdempotencyStore {
    /** One key; without an answer it is being worked on. */
    record Entry(Buffer hash, @Nullable ApiReply answer) {}

    final Map<String, Entry> entries = new ConcurrentHashMap<>();

    @Override
    public Future<IdempotencyStart> begin(String team, String key, byte[] requestHash) {
        Entry before = entries.putIfAbsent(team + "/" + key, new Entry(Buffer.buffer(requestHash), null));
        if (before == null) {
            return Future.succeededFuture(new IdempotencyStart.Started(new Ticket(team, key)));
        }
        if (!before.hash().equals(Buffer.buffer(requestHash))) {
            return Future.succeededFuture(new IdempotencyStart.Reused());
        }
        ApiReply answer = before.answer();
        return Future.succeededFuture(
                answer == null
                        ? new IdempotencyStart.InProgress(Duration.ofSeconds(2))
                        : new IdempotencyStart.Replay(answer));
    }

    @Override
    public Future<Void> finish(IdempotencyTicket ticket, ApiReply answer) {
        entries.computeIfPresent(
                ticket.team() + "/" + ticket.key(), (name, running) -> new Entry(running.hash(), answer));
        return Future.succeededFuture();
    }

    @Override
    public Future<Void> release(IdempotencyTicket ticket) {
        entries.remove(ticket.team() + "/" + ticket.key());
        return Future.succeededFuture();
    }

    @Override
    public Future<Integer> expire(Duration olderThan) {
        return Future.succeededFuture(0);
    }

    private record Ticket(String team, String key) implements IdempotencyTicket {
        @Override
        public long fence() {
            return 1;
        }

        @Override
        public Future<Void> lockIn(SqlConnection transaction) {
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> answerIn(SqlConnection transaction, ApiReply answer) {
            return Future.succeededFuture();
        }
    }
}
