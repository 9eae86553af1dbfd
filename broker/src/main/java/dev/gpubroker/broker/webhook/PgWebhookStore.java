package dev.gpubroker.broker.webhook;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Endpoints in PostgreSQL. */
final class PgWebhookStore implements WebhookStore {
    private static final String COLUMNS = """
            webhook_id, team_id, url, topics, description, secret, old_secret, old_until_wall, enabled, off_why,
            created_by, created_at, updated_at""";

    private final Database database;

    PgWebhookStore(Database database) {
        this.database = database;
    }

    private static final String LIST =
            "-- webhook.list\nSELECT " + COLUMNS + " FROM webhook WHERE team_id = $1 ORDER BY created_at, webhook_id";

    @Override
    public Future<List<Webhook>> list(String team) {
        return database.pool()
                .preparedQuery(LIST)
                .execute(Tuple.of(team))
                .map(rows -> webhooks(rows).toList());
    }

    private static final String READ = "-- webhook.read\nSELECT " + COLUMNS + " FROM webhook WHERE webhook_id = $1";
    private static final String LOCK =
            "-- webhook.lock\nSELECT " + COLUMNS + " FROM webhook WHERE webhook_id = $1 FOR UPDATE";

    @Override
    public Future<Optional<Webhook>> read(String id) {
        return one(database.pool(), READ, id);
    }

    @Override
    public Future<Optional<Webhook>> lock(SqlConnection connection, String id) {
        return one(connection, LOCK, id);
    }

    private static Future<Optional<Webhook>> one(SqlClient client, String sql, String id) {
        return client.preparedQuery(sql)
                .execute(Tuple.of(id))
                .map(rows -> webhooks(rows).findFirst());
    }

    private static final String INSERT = """
            -- webhook.insert
            INSERT INTO webhook (webhook_id, team_id, url, topics, description, secret, old_secret, old_until_wall, enabled,
                   off_why, created_by, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            ON CONFLICT (team_id, url) DO NOTHING""";

    @Override
    public Future<Boolean> insert(SqlConnection connection, Webhook webhook) {
        return connection.preparedQuery(INSERT).execute(columns(webhook)).map(done -> done.rowCount() == 1);
    }

    private static final String UPDATE = """
            -- webhook.update
            UPDATE webhook SET url = $3, topics = $4, description = $5, secret = $6, old_secret = $7, old_until_wall = $8,
                   enabled = $9, off_why = $10, created_by = $11, created_at = $12, updated_at = $13
             WHERE webhook_id = $1 AND team_id = $2
               AND NOT EXISTS (SELECT 1 FROM webhook WHERE team_id = $2 AND url = $3 AND webhook_id <> $1)""";

    @Override
    public Future<Boolean> update(SqlConnection connection, Webhook webhook) {
        return connection.preparedQuery(UPDATE).execute(columns(webhook)).map(done -> done.rowCount() == 1);
    }

    private static final String DELETE = """
            -- webhook.delete
            DELETE FROM webhook WHERE webhook_id = $1""";

    @Override
    public Future<Void> delete(SqlConnection connection, String id) {
        return connection.preparedQuery(DELETE).execute(Tuple.of(id)).mapEmpty();
    }

    private static final String WANTING = """
            -- webhook.wanting
            SELECT webhook_id FROM webhook
             WHERE team_id = $1 AND enabled AND (cardinality(topics) = 0 OR $2 = ANY (topics))
             ORDER BY webhook_id""";

    @Override
    public Future<List<String>> wanting(String team, String topic) {
        return database.pool()
                .preparedQuery(WANTING)
                .execute(Tuple.of(team, topic))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> row.getString("webhook_id"))
                        .toList());
    }

    private static final String FORGET = """
            -- webhook.forget
            UPDATE webhook SET old_secret = NULL, old_until_wall = NULL WHERE old_until_wall <= $1""";

    @Override
    public Future<Void> forgetOldSecrets(Instant wall) {
        return database.pool()
                .preparedQuery(FORGET)
                .execute(Tuple.of(PgTime.of(wall)))
                .mapEmpty();
    }

    private static Tuple columns(Webhook webhook) {
        return Tuple.from(Arrays.asList(
                webhook.id(),
                webhook.team(),
                webhook.url().toString(),
                webhook.topics().toArray(String[]::new),
                webhook.description(),
                webhook.secret(),
                webhook.oldSecret(),
                PgTime.ofNullable(webhook.oldUntil()),
                webhook.enabled(),
                webhook.offWhy(),
                webhook.createdBy(),
                PgTime.of(webhook.createdAt()),
                PgTime.of(webhook.updatedAt())));
    }

    private static Stream<Webhook> webhooks(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(row -> new Webhook(
                        row.getString("webhook_id"),
                        row.getString("team_id"),
                        URI.create(row.getString("url")),
                        List.of(row.getArrayOfStrings("topics")),
                        row.getString("description"),
                        row.getString("secret"),
                        row.getString("old_secret"),
                        PgTime.readNullable(row, "old_until_wall"),
                        row.getBoolean("enabled"),
                        row.getString("off_why"),
                        row.getString("created_by"),
                        PgTime.read(row, "created_at"),
                        PgTime.read(row, "updated_at")));
    }
}
