package dev.gpubroker.verification.simulation;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One connection, one statement at a time, each committed at once. */
final class Sql implements AutoCloseable {
    private final Connection connection;

    Sql(String jdbcUrl, String user) {
        try {
            this.connection = DriverManager.getConnection(jdbcUrl, user, "");
            run("SET TIME ZONE 'UTC'");
        } catch (SQLException fault) {
            throw new IllegalStateException("no connection to " + jdbcUrl, fault);
        }
    }

    @FunctionalInterface
    interface Mapper<T> {
        T of(ResultSet row) throws SQLException;
    }

    synchronized <T> List<T> list(String sql, Mapper<T> mapper, Object... values) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, values);
            try (ResultSet rows = statement.executeQuery()) {
                List<T> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(mapper.of(rows));
                }
                return all;
            }
        } catch (SQLException fault) {
            throw new IllegalStateException(fault.getMessage() + " in: " + sql, fault);
        }
    }

    <T> Optional<T> find(String sql, Mapper<T> mapper, Object... values) {
        return list(sql, mapper, values).stream().findFirst();
    }

    synchronized int run(String sql, Object... values) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, values);
            return statement.execute() ? 0 : statement.getUpdateCount();
        } catch (SQLException fault) {
            throw new IllegalStateException(fault.getMessage() + " in: " + sql, fault);
        }
    }

    private static void set(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }

    static Instant time(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    static @Nullable Instant timeOrNull(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException fault) {
            throw new IllegalStateException("a connection does not close", fault);
        }
    }
}
