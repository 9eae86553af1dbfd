package dev.gpubroker.broker.allocation;

import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads pools with what is taken of them. */
final class PgRooms {
    private PgRooms() {}

    // The casts of the layer matter: a comparison of smallint with integer cannot use the index.
    private static final String ROOMS = """
            -- allocation.rooms
            SELECT p.pool_id, p.name AS pool_name, p.model, p.gpus_per_node,
                   (extract(epoch FROM p.turnaround) * 1000000)::bigint AS turnaround_micros,
                   n.node_id, n.name AS node_name, n.gpus AS node_gpus,
                   a.layer, lower(a.gpus) AS first_gpu, upper(a.gpus) AS end_gpu, a.reservation_id,
                   CASE WHEN isfinite(lower(a.during)) THEN lower(a.during) ELSE to_timestamp(0) END AS taken_from,
                   CASE WHEN isfinite(upper(a.during)) THEN upper(a.during) END AS taken_to
              FROM pool p
              JOIN node n ON n.pool_id = p.pool_id AND n.retired_at IS NULL
              LEFT JOIN LATERAL (
                   SELECT layer, gpus, during, reservation_id FROM allocation
                    WHERE live AND layer = 0::smallint AND node_id = n.node_id
                      AND during && tstzrange($4::timestamptz - p.turnaround, $5::timestamptz + p.turnaround)
                    UNION ALL
                   SELECT layer, gpus, during, reservation_id FROM allocation
                    WHERE live AND layer = 2::smallint AND node_id = n.node_id
                      AND during && tstzrange($4::timestamptz, $5::timestamptz)) a ON true
             WHERE p.team_id = $1 AND p.model = ANY ($2)
               AND (cardinality($3::text[]) = 0 OR p.name = ANY ($3))
             ORDER BY p.pool_id, n.node_id""";

    /**
     * The team's pools of these models, with all that touches {@code [from, to)}, turnaround included.
     *
     * @param pools only those of these names; empty = all
     */
    static Future<List<Room>> read(
            SqlClient client,
            String team,
            Collection<String> models,
            Collection<String> pools,
            Instant from,
            Instant to) {
        if (models.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        Tuple values = Tuple.tuple()
                .addString(team)
                .addArrayOfString(models.toArray(String[]::new))
                .addArrayOfString(pools.toArray(String[]::new))
                .addOffsetDateTime(PgTime.of(from))
                .addOffsetDateTime(PgTime.of(to));
        return client.preparedQuery(ROOMS).execute(values).map(PgRooms::rooms);
    }

    private static List<Room> rooms(RowSet<Row> rows) {
        List<Room> rooms = new ArrayList<>();
        List<Room.Node> nodes = new ArrayList<>();
        List<Room.Taken> taken = new ArrayList<>();
        @Nullable Row before = null;
        for (Row row : rows) {
            if (before != null && !same("node_id", before, row)) {
                nodes.add(node(before, taken));
                taken.clear();
            }
            if (before != null && !same("pool_id", before, row)) {
                rooms.add(room(before, nodes));
                nodes.clear();
            }
            if (row.getInteger("first_gpu") != null) {
                taken.add(taken(row));
            }
            before = row;
        }
        if (before != null) {
            nodes.add(node(before, taken));
            rooms.add(room(before, nodes));
        }
        return rooms;
    }

    private static boolean same(String column, Row one, Row other) {
        return one.getString(column).equals(other.getString(column));
    }

    private static Room room(Row row, List<Room.Node> nodes) {
        return new Room(
                row.getString("pool_id"),
                row.getString("pool_name"),
                row.getString("model"),
                row.getInteger("gpus_per_node"),
                Duration.of(row.getLong("turnaround_micros"), ChronoUnit.MICROS),
                nodes);
    }

    private static Room.Node node(Row row, List<Room.Taken> taken) {
        return new Room.Node(row.getString("node_id"), row.getString("node_name"), row.getInteger("node_gpus"), taken);
    }

    private static Room.Taken taken(Row row) {
        return new Room.Taken(
                row.getInteger("first_gpu"),
                row.getInteger("end_gpu"),
                PgTime.read(row, "taken_from"),
                PgTime.readNullable(row, "taken_to"),
                row.getInteger("layer") == 2,
                row.getString("reservation_id"));
    }
}
