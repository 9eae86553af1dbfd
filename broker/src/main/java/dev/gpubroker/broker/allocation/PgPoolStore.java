package dev.gpubroker.broker.allocation;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Pools in PostgreSQL. */
public final class PgPoolStore implements PoolStore {
    private final Database database;

    public PgPoolStore(Database database) {
        this.database = database;
    }

    private static final String LIST = """
            -- pool.list
            SELECT p.pool_id, p.team_id, p.name, p.model, p.gpus_per_node, p.readiness, p.created_at,
                   (extract(epoch FROM p.turnaround) * 1000000)::bigint AS turnaround_micros,
                   n.node_id, n.name AS node_name, n.address, n.gpus
              FROM pool p
              LEFT JOIN node n ON n.pool_id = p.pool_id AND n.retired_at IS NULL
             WHERE p.team_id = $1 AND ($2::text IS NULL OR p.pool_id = $2 OR p.name = $2)
             ORDER BY p.pool_id = $2 DESC, p.name COLLATE "C", p.pool_id, n.node_id""";

    @Override
    public Future<List<OwnPool>> list(String teamId) {
        return pools(teamId, null);
    }

    @Override
    public Future<Optional<OwnPool>> read(String teamId, String named) {
        return pools(teamId, named).map(pools -> pools.stream().findFirst());
    }

    private Future<List<OwnPool>> pools(String teamId, @Nullable String named) {
        Tuple values = Tuple.tuple().addString(teamId).addString(named);
        return database.pool().preparedQuery(LIST).execute(values).map(PgPoolStore::pools);
    }

    private static List<OwnPool> pools(RowSet<Row> rows) {
        Map<String, List<Row>> byPool = stream(rows)
                .collect(Collectors.groupingBy(
                        row -> row.getString("pool_id"), LinkedHashMap::new, Collectors.toList()));
        return byPool.values().stream().map(PgPoolStore::pool).toList();
    }

    private static OwnPool pool(List<Row> rows) {
        Row first = rows.get(0);
        List<OwnPool.Node> nodes = rows.stream()
                .filter(row -> row.getString("node_id") != null)
                .map(row -> new OwnPool.Node(
                        row.getString("node_id"),
                        row.getString("node_name"),
                        row.getString("address"),
                        row.getInteger("gpus")))
                .toList();
        return new OwnPool(
                first.getString("pool_id"),
                first.getString("team_id"),
                first.getString("name"),
                first.getString("model"),
                first.getInteger("gpus_per_node"),
                Duration.of(first.getLong("turnaround_micros"), ChronoUnit.MICROS),
                nodes,
                first.getString("readiness"),
                PgTime.read(first, "created_at"));
    }

    private static final String LOCK_NAMES = """
            -- pool.lock_names
            SELECT team_id FROM team WHERE team_id = $1 FOR NO KEY UPDATE""";

    private static final String NAMES = """
            -- pool.names
            SELECT name FROM pool WHERE team_id = $1""";

    private static final String INSERT = """
            -- pool.insert
            INSERT INTO pool (pool_id, team_id, name, model, gpus_per_node, turnaround, created_at, readiness)
            VALUES ($1, $2, $3, $4, $5, $6::bigint * interval '1 second', $7, $8)""";

    @Override
    public Future<Optional<String>> insert(SqlConnection connection, OwnPool pool) {
        Tuple team = Tuple.of(pool.teamId());
        String name = PoolName.folded(pool.name());
        return connection
                .preparedQuery(LOCK_NAMES)
                .execute(team) // One at a time, as the database cannot compare names as people do.
                .compose(locked -> connection.preparedQuery(NAMES).execute(team))
                .map(rows -> stream(rows)
                        .map(row -> row.getString("name"))
                        .filter(other -> PoolName.folded(other).equals(name))
                        .findFirst())
                .compose(taken -> taken.isPresent()
                        ? Future.succeededFuture(taken)
                        : write(connection, pool).map(Optional.empty()));
    }

    private static Future<Void> write(SqlConnection connection, OwnPool pool) {
        Tuple values = Tuple.tuple()
                .addString(pool.id())
                .addString(pool.teamId())
                .addString(pool.name())
                .addString(pool.model())
                .addInteger(pool.gpusPerNode())
                .addLong(pool.turnaround().toSeconds())
                .addOffsetDateTime(PgTime.of(pool.createdAt()))
                .addString(pool.readiness());
        return connection.preparedQuery(INSERT).execute(values).compose(done -> insertNodes(connection, pool));
    }

    private static final String INSERT_NODES = """
            -- pool.insert_nodes
            INSERT INTO node (node_id, pool_id, name, address, gpus, model, created_at)
            SELECT given.node_id, $1, given.name, given.address, given.gpus, $6, $7
              FROM unnest($2::text[], $3::text[], $4::text[], $5::int[]) AS given (node_id, name, address, gpus)""";

    private static Future<Void> insertNodes(SqlConnection connection, OwnPool pool) {
        List<OwnPool.Node> nodes = pool.nodes();
        Tuple values = Tuple.tuple()
                .addString(pool.id())
                .addArrayOfString(nodes.stream().map(OwnPool.Node::id).toArray(String[]::new))
                .addArrayOfString(nodes.stream().map(OwnPool.Node::name).toArray(String[]::new))
                .addArrayOfString(nodes.stream().map(OwnPool.Node::address).toArray(String[]::new))
                .addArrayOfInteger(nodes.stream().map(OwnPool.Node::gpus).toArray(Integer[]::new))
                .addString(pool.model())
                .addOffsetDateTime(PgTime.of(pool.createdAt()));
        return connection.preparedQuery(INSERT_NODES).execute(values).mapEmpty();
    }

    private static final String LOCK = """
            -- pool.lock
            SELECT pool_id FROM pool WHERE team_id = $1 AND pool_id = $2 FOR UPDATE""";

    private static final String LOCK_NODES = """
            -- pool.lock_nodes
            SELECT node_id FROM node WHERE pool_id = $1 ORDER BY node_id FOR UPDATE""";

    @Override
    public Future<Boolean> lock(SqlConnection connection, String teamId, String poolId) {
        return connection
                .preparedQuery(LOCK)
                .execute(Tuple.of(teamId, poolId))
                .compose(found -> found.size() == 0
                        ? Future.succeededFuture(false)
                        : connection
                                .preparedQuery(LOCK_NODES)
                                .execute(Tuple.of(poolId))
                                .map(true));
    }

    private static final String BOOKED = """
            -- pool.booked
            SELECT a.reservation_id, r.title, n.name AS node_name, lower(a.gpus) AS first_gpu,
                   upper(a.gpus) - lower(a.gpus) AS gpus, min(lower(a.during)) AS start_at, max(upper(a.during)) AS end_at
              FROM node n
              JOIN allocation a ON a.node_id = n.node_id AND a.live AND a.layer = 0::smallint
              LEFT JOIN reservation r ON r.reservation_id = a.reservation_id
             WHERE n.pool_id = $1
             GROUP BY a.reservation_id, a.lease_id, r.title, n.node_id, n.name, a.gpus
             ORDER BY start_at, n.node_id, first_gpu
             LIMIT $2""";

    @Override
    public Future<List<InTheWay>> booked(SqlConnection connection, String poolId, int limit) {
        return connection
                .preparedQuery(BOOKED)
                .execute(Tuple.of(poolId, limit))
                .map(rows -> stream(rows)
                        .map(row -> new InTheWay(
                                row.getString("reservation_id"),
                                row.getString("title"),
                                row.getString("node_name"),
                                row.getInteger("first_gpu"),
                                row.getInteger("gpus"),
                                PgTime.read(row, "start_at"),
                                PgTime.read(row, "end_at")))
                        .toList());
    }

    private static final String DELETE = """
            -- pool.delete
            DELETE FROM pool WHERE pool_id = $1""";

    @Override
    public Future<Void> delete(SqlConnection connection, String poolId) {
        return connection.preparedQuery(DELETE).execute(Tuple.of(poolId)).mapEmpty();
    }

    private static Stream<Row> stream(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false);
    }
}
