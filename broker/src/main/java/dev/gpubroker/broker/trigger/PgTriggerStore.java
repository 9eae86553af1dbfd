package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Triggers in PostgreSQL. */
final class PgTriggerStore implements TriggerStore {
    private static final String COLUMNS = """
            trigger_id, team_id, on_state, reservation_id, labels::text AS labels, kind, target::text AS target, token,
            api_token, runner::text AS runner, created_by, created_at""";

    private static final TypeReference<Map<String, String>> LABELS = new TypeReference<>() {};

    private final Database database;

    PgTriggerStore(Database database) {
        this.database = database;
    }

    private static final String LIST = "-- trigger.list\nSELECT " + COLUMNS
            + " FROM pipeline_trigger WHERE team_id = $1 ORDER BY created_at, trigger_id";

    @Override
    public Future<List<Trigger>> list(String team) {
        return database.pool()
                .preparedQuery(LIST)
                .execute(Tuple.of(team))
                .map(rows -> triggers(rows).toList());
    }

    private static final String READ =
            "-- trigger.read\nSELECT " + COLUMNS + " FROM pipeline_trigger WHERE trigger_id = $1";

    @Override
    public Future<Optional<Trigger>> read(String id) {
        return database.pool()
                .preparedQuery(READ)
                .execute(Tuple.of(id))
                .map(rows -> triggers(rows).findFirst());
    }

    private static final String INSERT = """
            -- trigger.insert
            INSERT INTO pipeline_trigger (trigger_id, team_id, on_state, reservation_id, labels, kind, target, token, api_token,
                   runner, created_by, created_at)
            VALUES ($1, $2, $3, $4, $5::text::jsonb, $6, $7::text::jsonb, $8, $9, $10::text::jsonb, $11, $12)""";

    @Override
    public Future<Void> insert(SqlConnection connection, Trigger trigger) {
        return connection
                .preparedQuery(INSERT)
                .execute(Tuple.from(Arrays.asList(
                        trigger.id(),
                        trigger.team(),
                        trigger.on(),
                        trigger.match().reservation(),
                        StoredJson.write(trigger.match().labels()),
                        trigger.kind().wireName(),
                        StoredJson.write(trigger.target()),
                        trigger.token(),
                        trigger.apiToken(),
                        StoredJson.writeOrNull(trigger.runner()),
                        trigger.createdBy(),
                        PgTime.of(trigger.createdAt()))))
                .mapEmpty();
    }

    private static final String DELETE = """
            -- trigger.delete
            DELETE FROM pipeline_trigger WHERE team_id = $1 AND trigger_id = $2""";

    @Override
    public Future<Boolean> delete(SqlConnection connection, String team, String id) {
        return connection.preparedQuery(DELETE).execute(Tuple.of(team, id)).map(done -> done.rowCount() == 1);
    }

    private static final String ON = "-- trigger.on\nSELECT " + COLUMNS
            + " FROM pipeline_trigger WHERE team_id = $1 AND on_state = $2 ORDER BY trigger_id";

    @Override
    public Future<List<Trigger>> on(String team, String state) {
        return database.pool()
                .preparedQuery(ON)
                .execute(Tuple.of(team, state))
                .map(rows -> triggers(rows).toList());
    }

    private static final String STATE = """
            -- trigger.state
            SELECT state FROM reservation WHERE team_id = $1 AND reservation_id = $2""";

    @Override
    public Future<Optional<String>> stateOf(String team, String reservation) {
        return database.pool()
                .preparedQuery(STATE)
                .execute(Tuple.of(team, reservation))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> row.getString("state"))
                        .findFirst());
    }

    private static Stream<Trigger> triggers(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(row -> new Trigger(
                        row.getString("trigger_id"),
                        row.getString("team_id"),
                        row.getString("on_state"),
                        new Trigger.Match(
                                row.getString("reservation_id"), StoredJson.read(row.getString("labels"), LABELS)),
                        TriggerKind.ofWireName(row.getString("kind")),
                        StoredJson.read(row.getString("target"), Trigger.Target.class),
                        row.getString("token"),
                        row.getString("api_token"),
                        StoredJson.readOrNull(row.getString("runner"), Trigger.Runner.class),
                        row.getString("created_by"),
                        PgTime.read(row, "created_at")));
    }
}
