package dev.gpubroker.simulator;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Simulated state in schema {@code sim} of the broker's own PostgreSQL. */
public final class PgSimStore implements SimStore {
    private static final String DDL = """
            CREATE SCHEMA IF NOT EXISTS sim;
            CREATE TABLE IF NOT EXISTS sim.row (
                platform text COLLATE "C" NOT NULL,
                kind     text COLLATE "C" NOT NULL,
                id       text COLLATE "C" NOT NULL,
                body     text NOT NULL,
                PRIMARY KEY (platform, kind, id)
            )""";

    private final DataSource database;

    public PgSimStore(DataSource database) {
        this.database = database;
        run(connection -> {
            try (Statement statement = connection.createStatement()) {
                // Two hosts may start at once, and IF NOT EXISTS alone does not make them wait for each other.
                statement.execute("SELECT pg_advisory_xact_lock(7023311)");
                statement.execute(DDL);
            }
        });
    }

    @Override
    public Map<String, String> load(String platform, String kind) {
        Map<String, String> rows = new HashMap<>();
        run(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT id, body FROM sim.row WHERE platform = ? AND kind = ?")) {
                select.setString(1, platform);
                select.setString(2, kind);
                try (ResultSet result = select.executeQuery()) {
                    while (result.next()) {
                        rows.put(result.getString(1), result.getString(2));
                    }
                }
            }
        });
        return rows;
    }

    @Override
    public void commit(String platform, List<Change> changes) {
        run(connection -> {
            try (PreparedStatement upsert = connection.prepareStatement("""
                            INSERT INTO sim.row (platform, kind, id, body) VALUES (?, ?, ?, ?)
                            ON CONFLICT (platform, kind, id) DO UPDATE SET body = excluded.body""");
                    PreparedStatement delete = connection.prepareStatement(
                            "DELETE FROM sim.row WHERE platform = ? AND kind = ? AND id = ?")) {
                for (Change change : changes) {
                    PreparedStatement statement = change.json() == null ? delete : upsert;
                    statement.setString(1, platform);
                    statement.setString(2, change.kind());
                    statement.setString(3, change.id());
                    if (change.json() != null) {
                        statement.setString(4, change.json());
                    }
                    statement.executeUpdate();
                }
            }
        });
    }

    private interface Work {
        void on(Connection connection) throws SQLException;
    }

    private void run(Work work) {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try {
                work.on(connection);
                connection.commit();
            } catch (SQLException | RuntimeException fault) {
                connection.rollback();
                throw fault;
            }
        } catch (SQLException fault) {
            throw new IllegalStateException("the simulators' state cannot be reached", fault);
        }
    }
}
