package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keys in table {@code idempotency_key}; fences from a sequence, so that none is ever given twice. */
public final class PgIdempotencyStore implements IdempotencyStore {
    private static final String START = """
            -- idempotency.start
            INSERT INTO idempotency_key (team, key, body_hash, fence, state, locked_until, created_at)
            VALUES ($1, $2, $3, nextval('idempotency_fence'), 'running',
                    clock_timestamp() + $4 * interval '1 millisecond', clock_timestamp())
            ON CONFLICT (team, key) DO NOTHING
            RETURNING fence
            """;

    private static final String LOOK = """
            -- idempotency.look
            SELECT body_hash, fence, state, status, headers, body,
                   created_at < clock_timestamp() - $3 * interval '1 millisecond' AS outlived,
                   greatest(0, ceil(extract(epoch FROM locked_until - clock_timestamp()) * 1000))::bigint AS locked_ms
              FROM idempotency_key
             WHERE team = $1 AND key = $2
            """;

    private static final String TAKE_OVER = """
            -- idempotency.take_over
            UPDATE idempotency_key
               SET fence = nextval('idempotency_fence'), state = 'running', body_hash = $5,
                   locked_until = clock_timestamp() + $6 * interval '1 millisecond',
                   created_at = CASE WHEN $7 THEN clock_timestamp() ELSE created_at END,
                   status = NULL, headers = NULL, body = NULL
             WHERE team = $1 AND key = $2 AND fence = $3 AND state = $4 AND locked_until <= clock_timestamp()
            RETURNING fence
            """;

    private static final String LOCK_ROW = """
            -- idempotency.lock
            SELECT fence
              FROM idempotency_key
             WHERE team = $1 AND key = $2 AND fence = $3 AND state = 'running'
               FOR UPDATE
            """;

    private static final String ANSWER = """
            -- idempotency.answer
            UPDATE idempotency_key
               SET state = 'done', status = $4, headers = $5, body = $6
             WHERE team = $1 AND key = $2 AND fence = $3 AND state = 'running'
            """;

    private static final String RELEASE = """
            -- idempotency.release
            DELETE FROM idempotency_key
             WHERE team = $1 AND key = $2 AND fence = $3 AND state = 'running'
            """;

    private static final String EXPIRE = """
            -- idempotency.expire
            DELETE FROM idempotency_key
             WHERE (team, key) IN (
                   SELECT team, key
                     FROM idempotency_key
                    WHERE created_at < clock_timestamp() - $1 * interval '1 millisecond'
                      AND (state = 'done' OR locked_until <= clock_timestamp())
                    ORDER BY created_at
                    LIMIT 10000
                      FOR UPDATE SKIP LOCKED)
            """;

    /** A key that appears and vanishes this often between two statements is being worked on by many. */
    private static final int LOOKS = 5;

    /** A client that is told to wait asks again after this long at most, though the lock may last longer. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(2);

    private final Pool pool;

    public PgIdempotencyStore(Pool pool) {
        this.pool = requireNonNull(pool);
    }

    @Override
    public Future<IdempotencyStart> begin(String team, String key, byte[] requestHash) {
        return start(new Asked(team, key, Buffer.buffer(requestHash)), LOOKS);
    }

    /** Who asks what under which key. */
    private record Asked(String team, String key, Buffer hash) {}

    private Future<IdempotencyStart> start(Asked asked, int looks) {
        if (looks == 0) {
            return Future.succeededFuture(new IdempotencyStart.InProgress(ASK_AGAIN));
        }
        return run(pool, START, Tuple.of(asked.team, asked.key, asked.hash, LOCK.toMillis()))
                .compose(started -> started.size() == 1
                        ? Future.succeededFuture(ticket(asked, started))
                        : run(pool, LOOK, Tuple.of(asked.team, asked.key, KEPT.toMillis()))
                                .compose(found -> judge(asked, found, looks)));
    }

    private Future<IdempotencyStart> judge(Asked asked, RowSet<Row> found, int looks) {
        if (found.size() == 0) { // Released between the two statements.
            return start(asked, looks - 1);
        }
        Row row = found.iterator().next();
        long lockedMs = row.getLong("locked_ms");
        boolean running = row.getString("state").equals("running");
        boolean outlived = row.getBoolean("outlived") && !(running && lockedMs > 0);
        if (!outlived && !asked.hash.equals(row.getBuffer("body_hash"))) {
            return Future.succeededFuture(new IdempotencyStart.Reused());
        }
        if (!outlived && !running) {
            return Future.succeededFuture(new IdempotencyStart.Replay(answer(row)));
        }
        if (running && lockedMs > 0) {
            Duration locked = Duration.ofMillis(lockedMs);
            return Future.succeededFuture(
                    new IdempotencyStart.InProgress(locked.compareTo(ASK_AGAIN) < 0 ? locked : ASK_AGAIN));
        }
        return takeOver(asked, row, outlived, looks);
    }

    private Future<IdempotencyStart> takeOver(Asked asked, Row row, boolean outlived, int looks) {
        Tuple values = Tuple.of(asked.team, asked.key, row.getLong("fence"), row.getString("state"));
        values.addBuffer(asked.hash).addLong(LOCK.toMillis()).addBoolean(outlived);
        return run(pool, TAKE_OVER, values)
                .compose(taken ->
                        taken.size() == 1 ? Future.succeededFuture(ticket(asked, taken)) : start(asked, looks - 1));
    }

    private IdempotencyStart ticket(Asked asked, RowSet<Row> fenced) {
        long fence = fenced.iterator().next().getLong("fence");
        return new IdempotencyStart.Started(new PgIdempotencyTicket(asked.team, asked.key, fence));
    }

    @Override
    public Future<Void> finish(IdempotencyTicket ticket, ApiReply answer) {
        if (ticket instanceof PgIdempotencyTicket ours && ours.isAnswered()) {
            return Future.succeededFuture();
        }
        return store(pool, ticket, answer).mapEmpty();
    }

    @Override
    public Future<Void> release(IdempotencyTicket ticket) {
        return run(pool, RELEASE, own(ticket)).mapEmpty();
    }

    @Override
    public Future<Integer> expire(Duration olderThan) {
        return run(pool, EXPIRE, Tuple.of(olderThan.toMillis())).map(RowSet::rowCount);
    }

    /** Locks the row in a transaction; false if the fence is not the row's any more. */
    static Future<Boolean> lock(SqlClient transaction, IdempotencyTicket ticket) {
        return run(transaction, LOCK_ROW, own(ticket)).map(rows -> rows.size() == 1);
    }

    /** Stores the answer; false if the fence is not the row's any more. */
    static Future<Boolean> store(SqlClient client, IdempotencyTicket ticket, ApiReply answer) {
        Tuple values = own(ticket)
                .addInteger(answer.status())
                .addValue(new JsonObject(new LinkedHashMap<>(answer.headers())))
                .addBuffer(answer.body());
        return run(client, ANSWER, values).map(rows -> rows.rowCount() == 1);
    }

    private static Tuple own(IdempotencyTicket ticket) {
        return Tuple.of(ticket.team(), ticket.key(), ticket.fence());
    }

    private static ApiReply answer(Row row) {
        Map<String, String> headers = new LinkedHashMap<>();
        row.getJsonObject("headers").forEach(header -> headers.put(header.getKey(), String.valueOf(header.getValue())));
        @Nullable Buffer body = row.getBuffer("body");
        return new ApiReply(row.getInteger("status"), headers, body);
    }

    private static Future<RowSet<Row>> run(SqlClient client, String sql, Tuple values) {
        return client.preparedQuery(sql).execute(values);
    }
}
