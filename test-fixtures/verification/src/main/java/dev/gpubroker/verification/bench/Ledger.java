package dev.gpubroker.verification.bench;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;

/** Whether the ledger holds what was promised; looked at past the broker, and without trusting its constraint. */
final class Ledger {
    private Ledger() {}

    // A sweep over GPU-hours instead of the operators that the constraint uses.
    private static final String TAKEN_TWICE = """
            SELECT count(*) FROM (
                SELECT upper(during) > lead(lower(during)) OVER (PARTITION BY layer, node_id, gpu ORDER BY lower(during)) AS twice
                  FROM allocation, generate_series(lower(gpus), upper(gpus) - 1) AS gpu
                 WHERE live) neighbours
             WHERE twice""";

    private static final String LOST = """
            SELECT count(*) FROM unnest(?::text[]) AS told (id)
             WHERE NOT EXISTS (SELECT FROM reservation r WHERE r.reservation_id = told.id AND r.state = 'confirmed')
                OR (SELECT sum(upper(gpus) - lower(gpus)) FROM allocation a WHERE a.live AND a.reservation_id = told.id)
                   IS DISTINCT FROM (SELECT gpu_count FROM reservation r WHERE r.reservation_id = told.id)""";

    /**
     * @param told ids of the reservations that were acknowledged as confirmed, for windows that have not begun
     * @throws Wrong if a GPU is taken twice, or one of them does not hold all its GPUs
     */
    static void check(Sql sql, Collection<String> told) throws SQLException {
        long twice = sql.number(TAKEN_TWICE);
        if (twice > 0) {
            throw new Wrong(twice + " times a GPU is promised to two at once");
        }
        try (Connection connection = sql.connect();
                PreparedStatement statement = connection.prepareStatement(LOST)) {
            Array ids = connection.createArrayOf("text", told.toArray());
            statement.setArray(1, ids);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                if (rows.getLong(1) > 0) {
                    throw new Wrong(
                            rows.getLong(1) + " of " + told.size() + " acknowledged bookings are not in the ledger");
                }
            }
        }
    }
}
