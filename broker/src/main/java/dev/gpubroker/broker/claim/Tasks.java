package dev.gpubroker.broker.claim;

import dev.gpubroker.broker.stored.Ids;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What only a person can decide, written down once. */
public final class Tasks {
    private static final String OPEN = """
            -- task.open
            INSERT INTO task (task_id, kind, subject, reservation_id, detail, created_at)
            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kind, subject) DO NOTHING""";

    /** Opens the task unless there is one of its kind about the subject. */
    public Future<Void> open(
            SqlConnection connection,
            String kind,
            String subject,
            @Nullable String reservationId,
            String detail,
            Instant now) {
        return connection
                .preparedQuery(OPEN)
                .execute(Tuple.from(
                        Arrays.asList(Ids.next("tsk", now), kind, subject, reservationId, detail, PgTime.of(now))))
                .mapEmpty();
    }
}
