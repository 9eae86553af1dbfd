package dev.gpubroker.broker.allocation;

import dev.gpubroker.adapter.spi.Window;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads pools with what is taken of them. */
final class PgRooms {
    private static final Pattern RANGE = Pattern.compile("\\[(\\d+),(\\d+)\\)");

    private PgRooms() {}

    private static final String NODES = """
            -- allocation.nodes
            SELECT p.pool_id, p.name AS pool_name, p.model, p.gpus_per_node,
                   (extract(epoch FROM p.turnaround) * 1000000)::bigint AS turnaround_micros,
                   n.node_id, n.name AS node_name, n.gpus AS node_gpus
              FROM pool p
              JOIN node n ON n.pool_id = p.pool_id AND n.retired_at IS NULL
             WHERE p.team_id = $1 AND p.model = ANY ($2)
               AND (cardinality($3::text[]) = 0 OR p.name = ANY ($3))
             ORDER BY p.pool_id, n.node_id""";

    // What touches a span is found by time, in one pass however many nodes there are: a look into the index of the
    // exclusion constraint for each node costs many times more. OFFSET 0, or the planner does just that while its
    // statistics still show an empty table. In no order and without its node's columns: over weeks there are a hundred
    // thousand rows.
    private static final String TAKEN = """
            -- allocation.taken
            SELECT node_id, layer, lower(gpus) AS first_gpu, upper(gpus) AS end_gpu, reservation_id,
                   CASE WHEN isfinite(lower(during)) THEN lower(during) ELSE to_timestamp(0) END AS taken_from,
                   CASE WHEN isfinite(upper(during)) THEN upper(during) END AS taken_to
              FROM (SELECT node_id, layer, gpus, during, reservation_id FROM allocation
                     WHERE live AND layer IN (0::smallint, 2::smallint)
                       AND during && tstzrange($4::timestamptz - (SELECT max(turnaround) FROM pool),
                                               $5::timestamptz + (SELECT max(turnaround) FROM pool))
                    OFFSET 0) near
             WHERE node_id IN (
                   SELECT n.node_id FROM pool p JOIN node n ON n.pool_id = p.pool_id
                    WHERE p.team_id = $1 AND p.model = ANY ($2)
                      AND (cardinality($3::text[]) = 0 OR p.name = ANY ($3)))""";

    /**
     * The team's pools of these models, with all that touches {@code [from, to)} and perhaps a little around it, turnaround
     * included.
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
        Future<RowSet<Row>> nodes = client.preparedQuery(NODES).execute(asked(team, models, pools));
        Future<RowSet<Row>> taken = client.preparedQuery(TAKEN)
                .execute(asked(team, models, pools)
                        .addOffsetDateTime(PgTime.of(from))
                        .addOffsetDateTime(PgTime.of(to)));
        return Future.all(nodes, taken).map(both -> rooms(nodes.result(), taken.result()));
    }

    private static Tuple asked(String team, Collection<String> models, Collection<String> pools) {
        return Tuple.tuple()
                .addString(team)
                .addArrayOfString(models.toArray(String[]::new))
                .addArrayOfString(pools.toArray(String[]::new));
    }

    private static List<Room> rooms(RowSet<Row> rows, RowSet<Row> spans) {
        Map<String, List<Room.Taken>> taken = new HashMap<>();
        spans.forEach(span -> taken.computeIfAbsent(span.getString("node_id"), none -> new ArrayList<>())
                .add(taken(span)));
        List<Room> rooms = new ArrayList<>();
        List<Room.Node> nodes = new ArrayList<>();
        @Nullable Row before = null;
        for (Row row : rows) {
            if (before != null && !same("pool_id", before, row)) {
                rooms.add(room(before, nodes));
                nodes.clear();
            }
            nodes.add(node(row, taken.getOrDefault(row.getString("node_id"), List.of())));
            before = row;
        }
        if (before != null) {
            rooms.add(room(before, nodes));
        }
        return rooms;
    }

    // Thousands of nodes come down to the few ways in which they are taken, which leaves little to send and to compare.
    // Each part is materialized, since a planner that knows nothing of overlaps joins them in any other order; the
    // reservation's id keeps it from reading all of the constraint's index, which has the other columns; and nothing is
    // sorted, which would cost as much as the rest.
    private static final String ALIKE = """
            -- allocation.alike
            WITH asked AS MATERIALIZED (
                 SELECT p.pool_id, p.turnaround, n.node_id, n.name AS node_name, n.gpus AS node_gpus
                   FROM pool p
                   JOIN node n ON n.pool_id = p.pool_id AND n.retired_at IS NULL
                  WHERE p.team_id = $1 AND p.model = ANY ($2)
                    AND (cardinality($3::text[]) = 0 OR p.name = ANY ($3))),
                 near AS MATERIALIZED (
                 SELECT node_id, layer, gpus, during, reservation_id FROM allocation
                  WHERE live AND layer IN (0::smallint, 2::smallint)
                    AND during && tstzrange($4::timestamptz - (SELECT max(turnaround) FROM pool),
                                            $5::timestamptz + (SELECT max(turnaround) FROM pool))),
                 used AS MATERIALIZED (
                 SELECT near.node_id, range_agg(near.gpus) AS gpus
                   FROM near
                   JOIN asked ON asked.node_id = near.node_id
                  WHERE near.during && CASE near.layer
                        WHEN 0::smallint THEN tstzrange($4::timestamptz - turnaround, $5::timestamptz + turnaround)
                        ELSE tstzrange($4::timestamptz, $5::timestamptz) END
                  GROUP BY near.node_id),
                 alike AS (
                 SELECT pool_id, node_gpus, used.gpus AS used, array_agg(node_id) AS node_ids, array_agg(node_name) AS node_names
                   FROM asked LEFT JOIN used USING (node_id)
                  GROUP BY pool_id, node_gpus, used.gpus)
            SELECT p.pool_id, p.name AS pool_name, p.model, p.gpus_per_node, node_gpus, used::text AS used,
                   node_ids[:$6] AS node_ids, node_names[:$6] AS node_names
              FROM alike JOIN pool p USING (pool_id)
             ORDER BY p.pool_id""";

    /**
     * The team's pools of these models as they stand over one window. Of nodes that are taken alike only some are
     * there; what they hold is told as taken for the whole window, turnaround included.
     *
     * @param most so many of nodes that are alike
     */
    static Future<List<Room>> alike(
            SqlClient client,
            String team,
            Collection<String> models,
            Collection<String> pools,
            Window window,
            int most) {
        if (models.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return client.preparedQuery(ALIKE)
                .execute(asked(team, models, pools)
                        .addOffsetDateTime(PgTime.of(window.start()))
                        .addOffsetDateTime(PgTime.of(window.end()))
                        .addInteger(most))
                .map(rows -> alike(rows, window));
    }

    private static List<Room> alike(RowSet<Row> rows, Window window) {
        List<Room> rooms = new ArrayList<>();
        List<Room.Node> nodes = new ArrayList<>();
        @Nullable Row before = null;
        for (Row row : rows) {
            if (before != null && !same("pool_id", before, row)) {
                rooms.add(room(before, Duration.ZERO, nodes));
                nodes.clear();
            }
            List<Room.Taken> taken = used(row.getString("used"), window);
            String[] ids = row.getArrayOfStrings("node_ids");
            String[] names = row.getArrayOfStrings("node_names");
            for (int i = 0; i < ids.length; i++) {
                nodes.add(new Room.Node(ids[i], names[i], row.getInteger("node_gpus"), taken));
            }
            before = row;
        }
        if (before != null) {
            rooms.add(room(before, Duration.ZERO, nodes));
        }
        return rooms;
    }

    /** @param ranges a multirange as PostgreSQL writes it, such as <code>{[0,2),[4,8)}</code>; null = none */
    private static List<Room.Taken> used(@Nullable String ranges, Window window) {
        if (ranges == null) {
            return List.of();
        }
        return RANGE.matcher(ranges)
                .results()
                .map(range -> new Room.Taken(
                        Integer.parseInt(range.group(1)),
                        Integer.parseInt(range.group(2)),
                        window.start(),
                        window.end(),
                        false,
                        null))
                .toList();
    }

    private static final String SIZES = """
            -- allocation.sizes
            SELECT p.pool_id, p.name AS pool_name, p.model, p.gpus_per_node, array_agg(n.gpus) AS sizes
              FROM pool p
              JOIN node n ON n.pool_id = p.pool_id AND n.retired_at IS NULL
             WHERE p.team_id = $1 AND p.model = ANY ($2)
               AND (cardinality($3::text[]) = 0 OR p.name = ANY ($3))
             GROUP BY p.pool_id
             ORDER BY p.pool_id""";

    /** The team's pools of these models as if nothing were booked; their nodes have no names. */
    static Future<List<Room>> empty(
            SqlClient client, String team, Collection<String> models, Collection<String> pools) {
        if (models.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return client.preparedQuery(SIZES).execute(asked(team, models, pools)).map(rows -> {
            List<Room> rooms = new ArrayList<>();
            rows.forEach(row -> rooms.add(room(
                    row,
                    Duration.ZERO,
                    Stream.of(row.getArrayOfIntegers("sizes"))
                            .map(gpus -> new Room.Node("", "", gpus, List.of()))
                            .toList())));
            return rooms;
        });
    }

    private static boolean same(String column, Row one, Row other) {
        return one.getString(column).equals(other.getString(column));
    }

    private static Room room(Row row, List<Room.Node> nodes) {
        return room(row, Duration.of(row.getLong("turnaround_micros"), ChronoUnit.MICROS), nodes);
    }

    private static Room room(Row row, Duration turnaround, List<Room.Node> nodes) {
        return new Room(
                row.getString("pool_id"),
                row.getString("pool_name"),
                row.getString("model"),
                row.getInteger("gpus_per_node"),
                turnaround,
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
