package dev.gpubroker.broker.outbox;

import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;

/** Puts a message into the outbox, in the transaction that makes it true. */
public final class Outbox {
    private static final String ADD = """
            -- outbox.add
            INSERT INTO outbox (team_id, topic, body, created_at) VALUES ($1, $2, $3::text::jsonb, $4)""";

    /**
     * @param topic what happened, such as {@code reservation.offered}
     * @param body a record or map; written as JSON
     */
    public Future<Void> add(SqlConnection connection, String team, String topic, Object body, Instant now) {
        return connection
                .preparedQuery(ADD)
                .execute(Tuple.of(team, topic, StoredJson.write(body), PgTime.of(now)))
                .mapEmpty();
    }
}
