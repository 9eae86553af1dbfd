package dev.gpubroker.broker.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.Ids;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Tasks in table {@code task}. */
public final class PgTasks implements Tasks {
    private static final String COLUMNS =
            "task_id, kind, subject, reservation_id, detail, detail_zh, facts::text AS facts,"
                    + " created_at, done_at, answer, answered_by, note";

    private final Database database;

    public PgTasks(Database database) {
        this.database = database;
    }

    // An answer "… for good" keeps its row as it is; any other is asked again when it comes up again.
    private static final String OPEN = """
            -- task.open
            INSERT INTO task (task_id, kind, subject, reservation_id, detail, detail_zh, facts, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8)
            ON CONFLICT (kind, subject) DO UPDATE
               SET detail = excluded.detail, detail_zh = excluded.detail_zh, facts = excluded.facts,
                   created_at = excluded.created_at, done_at = NULL, answer = NULL, answered_by = NULL, note = NULL
             WHERE task.done_at IS NOT NULL AND NOT (task.facts ? 'last')""";

    @Override
    public Future<Void> open(SqlConnection connection, Draft draft, Instant now) {
        return connection
                .preparedQuery(OPEN)
                .execute(Tuple.from(Arrays.asList(
                        Ids.next("tsk", now),
                        draft.kind(),
                        draft.subject(),
                        draft.reservationId(),
                        draft.detail(),
                        draft.detailZh(),
                        draft.facts().toString(),
                        PgTime.of(now))))
                .mapEmpty();
    }

    private static final String CLOSE = """
            -- task.close
            UPDATE task SET done_at = $4, answer = 'settled', answered_by = 'broker', note = $3
             WHERE kind = $1 AND subject = $2 AND done_at IS NULL""";

    @Override
    public Future<Void> close(SqlConnection connection, String kind, String subject, String why, Instant now) {
        return connection
                .preparedQuery(CLOSE)
                .execute(Tuple.of(kind, subject, why, PgTime.of(now)))
                .mapEmpty();
    }

    @Override
    public Future<Boolean> isAnsweredForGood(String kind, String subject) {
        return database.pool()
                .preparedQuery(
                        "-- task.for_good\nSELECT 1 FROM task WHERE kind = $1 AND subject = $2 AND facts ? 'last'")
                .execute(Tuple.of(kind, subject))
                .map(rows -> rows.size() == 1);
    }

    /** Those that wait, or those that were answered, newest first; at most {@code limit}. */
    Future<List<Task>> list(boolean open, int limit) {
        String sql = "-- task.list\nSELECT " + COLUMNS + " FROM task WHERE (done_at IS NULL) = $1"
                + " ORDER BY coalesce(done_at, created_at) DESC, task_id DESC LIMIT $2";
        return database.pool().preparedQuery(sql).execute(Tuple.of(open, limit)).map(PgTasks::tasks);
    }

    Future<Optional<Task>> lock(SqlConnection connection, String id) {
        String sql = "-- task.lock\nSELECT " + COLUMNS + " FROM task WHERE task_id = $1 FOR UPDATE";
        return connection
                .preparedQuery(sql)
                .execute(Tuple.of(id))
                .map(rows -> tasks(rows).stream().findFirst());
    }

    private static final String ANSWER = """
            -- task.answer
            UPDATE task SET done_at = $2, answer = $3, answered_by = $4, note = $5,
                   facts = CASE WHEN $6 THEN facts || '{"last": true}'::jsonb ELSE facts END
             WHERE task_id = $1""";

    Future<Void> answer(
            SqlConnection connection,
            String id,
            String answer,
            String who,
            @Nullable String note,
            boolean last,
            Instant now) {
        return connection
                .preparedQuery(ANSWER)
                .execute(Tuple.from(Arrays.asList(id, PgTime.of(now), answer, who, note, last)))
                .mapEmpty();
    }

    private static List<Task> tasks(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(row -> new Task(
                        row.getString("task_id"),
                        row.getString("kind"),
                        row.getString("subject"),
                        row.getString("reservation_id"),
                        row.getString("detail"),
                        row.getString("detail_zh"),
                        StoredJson.read(row.getString("facts"), ObjectNode.class),
                        PgTime.read(row, "created_at"),
                        PgTime.readNullable(row, "done_at"),
                        row.getString("answer"),
                        row.getString("answered_by"),
                        row.getString("note")))
                .toList();
    }
}
