package dev.gpubroker.verification.crash;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads the brokers' tables with statements of its own: what is checked must not be asked of the code that is checked. */
final class Ledger {
    private final DataSource source;

    Ledger(DataSource source) {
        this.source = source;
    }

    /** @param ending where it is being released to; null elsewhere */
    record Row(
            String id, String title, String state, @Nullable String ending, OffsetDateTime end) {
        boolean isCancelled() {
            return state.equals("cancelled") || (state.equals("releasing") && "cancelled".equals(ending));
        }

        boolean isOver() {
            return List.of("completed", "cancelled", "failed", "no_show", "expired")
                    .contains(state);
        }
    }

    /**
     * @param nodes machines asked for
     * @param overdue whether the time is over in which it is found out what became of it
     */
    record ClaimRow(
            String key, String reservation, String platform, String state, int nodes, int asked, boolean overdue) {
        boolean holds() {
            return state.equals("claimed") || state.equals("accepted");
        }

        boolean isOpen() {
            return holds() || List.of("intended", "unknown", "releasing").contains(state);
        }
    }

    /** Every reservation, by id. */
    Map<String, Row> reservations() throws SQLException {
        Map<String, Row> rows = new HashMap<>();
        each("SELECT reservation_id, title, state, ending, upper(during) FROM reservation", row -> {
            Row read = new Row(
                    row.getString(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    row.getObject(5, OffsetDateTime.class));
            rows.put(read.id(), read);
        });
        return rows;
    }

    /** Every claim; {@code asked} is what its reservation may hold at most. */
    List<ClaimRow> claims() throws SQLException {
        List<ClaimRow> rows = new ArrayList<>();
        each(
                """
                        SELECT c.claim_key, c.reservation_id, c.platform, c.state, (c.request->>'nodes')::int,
                               sum((c.request->>'nodes')::int) OVER (PARTITION BY c.reservation_id, c.attempt)::int,
                               coalesce(c.arrives_by + interval '20 minutes' < business_now(), false)
                          FROM claim c""",
                row -> rows.add(new ClaimRow(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        row.getInt(5),
                        row.getInt(6),
                        row.getBoolean(7))));
        return rows;
    }

    /** One text per row of a query that finds what must not be. */
    List<String> texts(String query) throws SQLException {
        List<String> rows = new ArrayList<>();
        each(query, row -> rows.add(row.getString(1)));
        return rows;
    }

    long number(String query) throws SQLException {
        List<Long> found = new ArrayList<>();
        each(query, row -> found.add(row.getLong(1)));
        return found.get(0);
    }

    @FunctionalInterface
    private interface Reading {
        void read(ResultSet row) throws SQLException;
    }

    private void each(String query, Reading reading) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                reading.read(rows);
            }
        }
    }
}
