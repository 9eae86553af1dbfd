package dev.gpubroker.broker.allocation;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Outages in PostgreSQL: one row for what was said, and a rectangle of layer 2 for each run of GPUs. */
public final class PgOutageStore implements OutageStore {
    private final Database database;

    public PgOutageStore(Database database) {
        this.database = database;
    }

    private static final String COLUMNS = """
            SELECT o.outage_id, n.pool_id, n.node_id, n.name AS node_name, o.gpus, lower(o.during) AS start_at,
                   upper(o.during) AS end_at, o.reason, o.declared_by, o.created_at, o.ended_at
              FROM outage o JOIN node n ON n.node_id = o.node_id
            """;

    private static final String LIST = "-- outage.list\n" + COLUMNS + """
             WHERE n.pool_id = $1
               AND ((o.ended_at IS NULL AND (upper_inf(o.during) OR upper(o.during) > $2))
                    OR coalesce(o.ended_at, upper(o.during)) > $3)
             ORDER BY start_at, o.outage_id""";

    @Override
    public Future<List<Outage>> list(String poolId, Instant now, @Nullable Instant since) {
        return database.pool()
                .preparedQuery(LIST)
                .execute(Tuple.from(Arrays.asList(poolId, PgTime.of(now), PgTime.ofNullable(since))))
                .map(rows -> stream(rows).map(PgOutageStore::outage).toList());
    }

    private static final String LOCK = "-- outage.lock\n" + COLUMNS + """
             WHERE n.pool_id = $1 AND o.outage_id = $2
               FOR UPDATE OF n, o""";

    @Override
    public Future<Optional<Outage>> lock(SqlConnection connection, String poolId, String outageId) {
        return connection
                .preparedQuery(LOCK)
                .execute(Tuple.of(poolId, outageId))
                .map(rows -> stream(rows).map(PgOutageStore::outage).findFirst());
    }

    private static final String LOCK_NODE = """
            -- outage.lock_node
            SELECT node_id FROM node WHERE node_id = $1 FOR UPDATE""";

    @Override
    public Future<Void> lockNode(SqlConnection connection, String nodeId) {
        return connection.preparedQuery(LOCK_NODE).execute(Tuple.of(nodeId)).mapEmpty();
    }

    private static final String OVERLAPS = """
            -- outage.overlaps
            SELECT EXISTS (
                   SELECT FROM outage
                    WHERE node_id = $1 AND gpus && $2 AND during && tstzrange($3, $4)
                      AND (ended_at IS NULL OR ended_at > $3)) AS overlaps""";

    private static final String INSERT = """
            -- outage.insert
            INSERT INTO outage (outage_id, node_id, gpus, during, reason, declared_by, created_at)
            VALUES ($1, $2, $3, tstzrange($4, $5), $6, $7, $8)""";

    private static final String RECTANGLES = """
            -- outage.rectangles
            INSERT INTO allocation (layer, node_id, gpus, during, outage_id, created_at)
            SELECT 2, $1, int4range(first, first + gpus), tstzrange($4, $5), $6, $7
              FROM unnest($2::int[], $3::int[]) AS run (first, gpus)""";

    @Override
    public Future<Boolean> insert(SqlConnection connection, Outage outage) {
        Integer[] gpus = outage.gpus().toArray(Integer[]::new);
        Tuple overlaps = Tuple.from(
                Arrays.asList(outage.nodeId(), gpus, PgTime.of(outage.start()), PgTime.ofNullable(outage.end())));
        return connection
                .preparedQuery(OVERLAPS)
                .execute(overlaps)
                .compose(rows -> rows.iterator().next().getBoolean("overlaps")
                        ? Future.succeededFuture(false)
                        : write(connection, outage, gpus).map(true));
    }

    private static Future<Void> write(SqlConnection connection, Outage outage, Integer[] gpus) {
        List<Integer> firsts = new ArrayList<>();
        List<Integer> lengths = new ArrayList<>();
        for (int index : outage.gpus()) {
            int last = firsts.size() - 1;
            if (last >= 0 && firsts.get(last) + lengths.get(last) == index) {
                lengths.set(last, lengths.get(last) + 1);
            } else {
                firsts.add(index);
                lengths.add(1);
            }
        }
        Tuple row = Tuple.from(Arrays.asList(
                outage.id(),
                outage.nodeId(),
                gpus,
                PgTime.of(outage.start()),
                PgTime.ofNullable(outage.end()),
                outage.reason(),
                outage.declaredBy(),
                PgTime.of(outage.createdAt())));
        Tuple rectangles = Tuple.from(Arrays.asList(
                outage.nodeId(),
                firsts.toArray(Integer[]::new),
                lengths.toArray(Integer[]::new),
                PgTime.of(outage.start()),
                PgTime.ofNullable(outage.end()),
                outage.id(),
                PgTime.of(outage.createdAt())));
        return connection
                .preparedQuery(INSERT)
                .execute(row)
                .compose(done -> connection.preparedQuery(RECTANGLES).execute(rectangles))
                .mapEmpty();
    }

    private static final String END = """
            -- outage.end
            UPDATE outage SET ended_at = $2 WHERE outage_id = $1""";

    // What had begun is cut, what had not is gone.
    private static final String CUT = """
            -- outage.cut
            UPDATE allocation
               SET live = lower(during) < $2,
                   during = CASE WHEN lower(during) < $2 THEN tstzrange(lower(during), $2) ELSE during END
             WHERE outage_id = $1 AND live AND during && tstzrange($2::timestamptz, NULL)""";

    @Override
    public Future<Void> end(SqlConnection connection, String outageId, Instant now) {
        Tuple values = Tuple.of(outageId, PgTime.of(now));
        return connection
                .preparedQuery(END)
                .execute(values)
                .compose(done -> connection.preparedQuery(CUT).execute(values))
                .mapEmpty();
    }

    private static final String RESERVATIONS_ON = """
            -- outage.reservations_on
            SELECT DISTINCT a.reservation_id
              FROM outage o
              JOIN allocation a
                ON a.live AND a.layer = 0::smallint AND a.node_id = o.node_id AND a.during && o.during
               AND EXISTS (SELECT FROM unnest(o.gpus) AS index WHERE a.gpus @> index)
             WHERE o.outage_id = $1 AND a.reservation_id IS NOT NULL
             ORDER BY a.reservation_id""";

    @Override
    public Future<List<String>> reservationsOn(SqlConnection connection, String outageId) {
        return connection
                .preparedQuery(RESERVATIONS_ON)
                .execute(Tuple.of(outageId))
                .map(PgOutageStore::reservationIds);
    }

    private static final String HITS = """
            -- outage.hits
            SELECT DISTINCT o.outage_id, n.name AS node_name, o.reason, lower(out.during) AS start_at,
                   upper(out.during) AS end_at
              FROM allocation own
              JOIN allocation out
                ON out.live AND out.layer = 2::smallint AND out.node_id = own.node_id AND out.gpus && own.gpus
               AND out.during && own.during AND out.during && tstzrange($2, NULL)
              JOIN outage o ON o.outage_id = out.outage_id
              JOIN node n ON n.node_id = o.node_id
             WHERE own.reservation_id = $1 AND own.live AND own.layer = 0::smallint
               AND own.during && tstzrange($2, NULL)
             ORDER BY start_at, o.outage_id""";

    @Override
    public Future<List<Hit>> hits(SqlConnection connection, String reservationId, Instant now) {
        return connection
                .preparedQuery(HITS)
                .execute(Tuple.of(reservationId, PgTime.of(now)))
                .map(rows -> stream(rows)
                        .map(row -> new Hit(
                                row.getString("outage_id"),
                                row.getString("node_name"),
                                row.getString("reason"),
                                PgTime.read(row, "start_at"),
                                PgTime.readNullable(row, "end_at")))
                        .toList());
    }

    private static List<String> reservationIds(RowSet<Row> rows) {
        return stream(rows).map(row -> row.getString("reservation_id")).toList();
    }

    private static Outage outage(Row row) {
        return new Outage(
                row.getString("outage_id"),
                row.getString("pool_id"),
                row.getString("node_id"),
                row.getString("node_name"),
                List.of(row.getArrayOfIntegers("gpus")),
                PgTime.read(row, "start_at"),
                PgTime.readNullable(row, "end_at"),
                row.getString("reason"),
                row.getString("declared_by"),
                PgTime.read(row, "created_at"),
                PgTime.readNullable(row, "ended_at"));
    }

    private static Stream<Row> stream(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false);
    }
}
