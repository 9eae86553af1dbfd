package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.stream.StreamSupport;

/** Teams in PostgreSQL. The first one, {@code default}, is what the admin token acts for. */
final class PgTeams {
    private static final String FOREIGN_KEY_VIOLATION = "23503";

    record Team(String id, String name, Instant createdAt) {}

    private static final String LIST = """
            -- team.list
            SELECT team_id, name, created_at FROM team ORDER BY team_id""";

    Future<List<Team>> list(SqlClient client) {
        return client.preparedQuery(LIST)
                .execute()
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> new Team(
                                row.getString("team_id"), row.getString("name"), PgTime.read(row, "created_at")))
                        .toList());
    }

    private static final String INSERT = """
            -- team.insert
            INSERT INTO team (team_id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING""";

    Future<Boolean> insert(SqlClient client, Team team) {
        return client.preparedQuery(INSERT)
                .execute(Tuple.of(team.id(), team.name(), PgTime.of(team.createdAt())))
                .map(done -> done.rowCount() == 1);
    }

    private static final String DELETE = """
            -- team.delete
            DELETE FROM team WHERE team_id = $1""";

    /** Fails as {@link #isReferred} tells if anything belongs to it. */
    Future<Boolean> delete(SqlClient client, String id) {
        return client.preparedQuery(DELETE).execute(Tuple.of(id)).map(done -> done.rowCount() == 1);
    }

    private static final String LOCK = """
            -- team.lock
            SELECT team_id FROM team WHERE team_id = $1 FOR KEY SHARE""";

    /** Whether there is such a team; it stays until the transaction ends. */
    Future<Boolean> exists(SqlClient client, String id) {
        return client.preparedQuery(LOCK).execute(Tuple.of(id)).map(rows -> rows.size() == 1);
    }

    static boolean isReferred(Throwable fault) {
        return fault instanceof PgException refused && FOREIGN_KEY_VIOLATION.equals(refused.getSqlState());
    }
}
