package dev.gpubroker.broker.allocation;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** A database with pools and reservations for tests; each pool stands alone through a name of its own. */
final class Ledger {
    private static final Instant NOW = Rooms.hour(-24);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final Database database;
    final PgAllocations allocations;
    final PgAllocationChanges changes;

    Ledger(TestDatabase database) {
        this(database.database());
    }

    Ledger(Database database) {
        this.database = database;
        this.allocations = new PgAllocations(database, GpuCatalogue.shipped());
        this.changes = new PgAllocationChanges(database, allocations);
    }

    /** A pool of A100-SXM4-80GB with nodes of 8 GPUs, named {@code <pool>-1} and on. */
    OwnPool pool(int nodes) {
        return pool("A100-SXM4-80GB", nodes, Duration.ZERO);
    }

    OwnPool pool(String model, int nodes, Duration turnaround) {
        return pool(model, turnaround, IntStream.range(0, nodes).map(i -> 8).toArray());
    }

    OwnPool pool(String model, Duration turnaround, int... nodes) {
        String name = "pool" + NUMBER.incrementAndGet();
        List<OwnPool.Node> made = IntStream.range(0, nodes.length)
                .mapToObj(i ->
                        new OwnPool.Node("nod_" + name + "_" + (char) ('a' + i), name + "-" + (i + 1), null, nodes[i]))
                .toList();
        OwnPool pool = new OwnPool("pol_" + name, "default", name, model, 8, turnaround, made, NOW);
        database.inTransaction(connection -> new PgPoolStore(database).insert(connection, pool))
                .await();
        return pool;
    }

    /** GPUs on one node of this pool. */
    static Wanted wanted(OwnPool pool, int gpus) {
        return wanted(pool, gpus, true);
    }

    static Wanted wanted(OwnPool pool, int gpus, boolean singleNode) {
        return new Wanted("default", Set.of(pool.model()), gpus, null, singleNode, false, Set.of(pool.name()));
    }

    /** A reservation without anything. */
    String reservation() {
        String id = "rsv_" + NUMBER.incrementAndGet();
        database.pool()
                .preparedQuery("""
                        INSERT INTO reservation (reservation_id, team_id, owner, title, labels, state, request, model,
                            gpu_count, during, terms, explanation, created_at, updated_at)
                        VALUES ($1, 'default', 'ann', 'evaluation', '{}', 'confirmed', '{}', 'A100', 8,
                            tstzrange($2, $3), '{}', '[]', $2, $2)""")
                .execute(Tuple.of(id, PgTime.of(NOW), PgTime.of(Rooms.hour(1_000))))
                .await();
        return id;
    }

    /** A reservation with a place, or a failure if there is none. */
    String booked(Wanted wanted, Window window) {
        String id = reservation();
        if (place(id, wanted, window).await().isEmpty()) {
            throw new IllegalStateException("no room");
        }
        return id;
    }

    Future<List<Place>> place(String reservation, Wanted wanted, Window window) {
        return database.inTransaction(
                connection -> allocations.place(connection, wanted, null, window, reservation, NOW));
    }

    /** With room that was seen before. */
    Future<List<Place>> place(String reservation, Wanted wanted, Place seen, Window window) {
        return database.inTransaction(
                connection -> allocations.place(connection, wanted, seen, window, reservation, NOW));
    }

    Future<Boolean> extend(String reservation, Window added) {
        return database.inTransaction(
                connection -> allocations.extend(connection, reservation, added.start(), added.end(), NOW));
    }

    Future<List<Place>> move(String reservation, Wanted wanted, Window window, Instant now) {
        return database.inTransaction(connection -> changes.move(connection, wanted, window, reservation, now));
    }

    Future<Boolean> resize(String reservation, Wanted wanted, Window rest, Instant now) {
        return database.inTransaction(connection -> changes.resize(connection, wanted, rest, reservation, now));
    }

    void truncate(String reservation, Instant end) {
        database.inTransaction(connection -> allocations.truncate(connection, reservation, end))
                .await();
    }

    void release(String reservation, Instant now) {
        database.inTransaction(connection -> allocations.release(connection, reservation, now))
                .await();
    }

    /** GPUs {@code [first, first + gpus)} of a node are out of order. */
    void outage(OwnPool.Node node, int first, int gpus, Window window) {
        database.pool()
                .preparedQuery("""
                        INSERT INTO allocation (layer, node_id, gpus, during, created_at)
                        VALUES (2, $1, int4range($2, $3), tstzrange($4, $5), $4)""")
                .execute(Tuple.of(node.id(), first, first + gpus, PgTime.of(window.start()), PgTime.of(window.end())))
                .await();
    }

    /** Live rectangles of the pool, as {@code node:gpus during}, sorted. */
    List<String> rectangles(OwnPool pool) {
        return texts("""
                SELECT n.name || ':' || lower(a.gpus) || '+' || (upper(a.gpus) - lower(a.gpus)) || ' '
                       || extract(epoch FROM lower(a.during) - $2)::int / 3600 || '-'
                       || extract(epoch FROM upper(a.during) - $2)::int / 3600
                  FROM allocation a JOIN node n USING (node_id)
                 WHERE n.pool_id = $1 AND a.live AND a.layer = 0
                 ORDER BY n.node_id, lower(a.during), lower(a.gpus)""", Tuple.of(pool.id(), PgTime.of(Rooms.MIDNIGHT)));
    }

    /** Pairs of live rectangles that share a GPU at an instant, or are closer than the turnaround; must be empty. */
    List<String> overlaps() {
        return texts("""
                SELECT a.allocation_id || ' and ' || b.allocation_id
                  FROM allocation a
                  JOIN allocation b ON b.node_id = a.node_id AND b.allocation_id > a.allocation_id AND b.gpus && a.gpus
                  JOIN node n ON n.node_id = a.node_id
                  JOIN pool p ON p.pool_id = n.pool_id
                 WHERE a.live AND b.live AND a.layer <> 1 AND b.layer <> 1 AND NOT (a.layer = 2 AND b.layer = 2)
                   AND a.reservation_id IS DISTINCT FROM b.reservation_id
                   AND tstzrange(lower(a.during),
                           upper(a.during) + CASE WHEN a.layer = b.layer THEN p.turnaround ELSE interval '0' END)
                    && tstzrange(lower(b.during),
                           upper(b.during) + CASE WHEN a.layer = b.layer THEN p.turnaround ELSE interval '0' END)""", Tuple.tuple());
    }

    private List<String> texts(String sql, Tuple values) {
        List<String> texts = new ArrayList<>();
        for (Row row : database.pool().preparedQuery(sql).execute(values).await()) {
            texts.add(row.getString(0));
        }
        return texts;
    }

    /** The plan of a statement where the tables are taken to be large. */
    String planOf(String sql, Tuple values) {
        return database.inTransaction(connection -> connection
                        .query("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
                        .execute()
                        .compose(set -> connection
                                .preparedQuery("EXPLAIN (COSTS OFF) " + sql)
                                .execute(values)))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> row.getString(0))
                        .reduce("", (one, other) -> one + "\n" + other))
                .await();
    }
}
