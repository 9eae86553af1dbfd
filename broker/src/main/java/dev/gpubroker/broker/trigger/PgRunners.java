package dev.gpubroker.broker.trigger;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Runners in PostgreSQL. */
final class PgRunners implements Runners {
    private final Database database;

    PgRunners(Database database) {
        this.database = database;
    }

    private static final String PUT = """
            -- runner.put
            INSERT INTO runner (run, trigger_id, team_id, reservation_id, node_id, put_at) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (run) DO UPDATE SET node_id = excluded.node_id, ended_at = NULL""";

    @Override
    public Future<Void> put(Put runner, Instant now) {
        return database.pool()
                .preparedQuery(PUT)
                .execute(Tuple.from(Arrays.asList(
                        runner.run(),
                        runner.trigger(),
                        runner.team(),
                        runner.reservation(),
                        runner.node(),
                        PgTime.of(now))))
                .mapEmpty();
    }

    private static final String COLUMNS = "run, trigger_id, team_id, reservation_id, node_id ";

    private static final String OF = "-- runner.of\nSELECT " + COLUMNS + """
              FROM runner WHERE team_id = $1 AND reservation_id = $2 AND ended_at IS NULL ORDER BY run""";

    @Override
    public Future<List<Put>> of(String team, String reservation) {
        return database.pool()
                .preparedQuery(OF)
                .execute(Tuple.of(team, reservation))
                .map(rows -> stream(rows).toList());
    }

    private static final String READ =
            "-- runner.read\nSELECT " + COLUMNS + " FROM runner WHERE run = $1 AND ended_at IS NULL";

    @Override
    public Future<Optional<Put>> read(String run) {
        return database.pool()
                .preparedQuery(READ)
                .execute(Tuple.of(run))
                .map(rows -> stream(rows).findFirst());
    }

    private static final String ENDED = "-- runner.ended\nUPDATE runner SET ended_at = $2 WHERE run = $1";

    @Override
    public Future<Void> ended(String run, Instant now) {
        return database.pool()
                .preparedQuery(ENDED)
                .execute(Tuple.of(run, PgTime.of(now)))
                .mapEmpty();
    }

    private static Stream<Put> stream(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(row -> new Put(
                        row.getString("run"),
                        row.getString("trigger_id"),
                        row.getString("team_id"),
                        row.getString("reservation_id"),
                        row.getString("node_id")));
    }
}
