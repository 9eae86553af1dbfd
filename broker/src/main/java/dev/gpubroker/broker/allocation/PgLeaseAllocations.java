package dev.gpubroker.broker.allocation;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Rectangles of leases in PostgreSQL. As in {@link PgAllocations}, finding room is a guess and the exclusion constraint
 * decides. Locks are taken in the order reservation, node rows, rectangles.
 */
public final class PgLeaseAllocations implements LeaseAllocations {
    /** Tries of one lease; each that is lost means that somebody else got GPUs. */
    private static final int MOST_TRIES = 10;

    private static final int INSIDE = 1;
    private static final int OF_POOL = 0;

    private final Database database;

    public PgLeaseAllocations(Database database) {
        this.database = database;
    }

    // ---- taking -------------------------------------------------------------------------------------------

    private static final String PARENT = """
            -- lease.parent
            SELECT upper(during) AS end_at FROM reservation WHERE reservation_id = $1 AND state = 'active' FOR SHARE""";

    @Override
    public Future<Optional<Taken>> takeInside(SqlConnection connection, Inside inside, Wish wish, Instant now) {
        return parentsEnd(connection, inside.reservationId()).compose(end -> {
            boolean tooShort =
                    end.isPresent() && inside.longestOnly() && end.get().isBefore(wish.until());
            if (end.isEmpty() || !now.isBefore(end.get()) || tooShort) {
                return Future.succeededFuture(Optional.empty());
            }
            Instant until = end.get().isBefore(wish.until()) ? end.get() : wish.until();
            Window window = new Window(now, until);
            Rectangles rectangles = new Rectangles(INSIDE, inside.reservationId(), wish.leaseId(), window, now);
            return attempt(
                    connection,
                    () -> machinesInside(connection, inside.reservationId(), wish.models(), window),
                    wish.gpus(),
                    rectangles,
                    1);
        });
    }

    private static Future<Optional<Instant>> parentsEnd(SqlConnection connection, String reservationId) {
        return connection
                .preparedQuery(PARENT)
                .execute(Tuple.of(reservationId))
                .map(rows -> stream(rows).findFirst().map(row -> PgTime.read(row, "end_at")));
    }

    @Override
    public Future<Optional<Taken>> takeOfPool(SqlConnection connection, OwnPool pool, Wish wish, Instant now) {
        Window window = new Window(now, wish.until());
        Rectangles rectangles = new Rectangles(OF_POOL, null, wish.leaseId(), window, now);
        return attempt(connection, () -> machinesOf(connection, pool, window), wish.gpus(), rectangles, 1);
    }

    private record Rectangles(int layer, @Nullable String reservationId, String leaseId, Window window, Instant now) {}

    private static Future<Optional<Taken>> attempt(
            SqlConnection connection,
            Supplier<Future<List<LeaseFit.Machine>>> machines,
            int gpus,
            Rectangles rectangles,
            int number) {
        return machines.get().compose(read -> {
            Optional<List<Place.Part>> parts = LeaseFit.of(read, gpus);
            if (parts.isEmpty() || number > MOST_TRIES) {
                return Future.succeededFuture(Optional.empty());
            }
            return takeOrUndo(connection, parts.get(), rectangles)
                    .compose(taken -> taken
                            ? Future.succeededFuture(Optional.of(
                                    new Taken(parts.get(), rectangles.window().end())))
                            : attempt(connection, machines, gpus, rectangles, number + 1));
        });
    }

    private static Future<Boolean> takeOrUndo(SqlConnection connection, List<Place.Part> parts, Rectangles rectangles) {
        return run(connection, "SAVEPOINT before_lease")
                .compose(saved -> take(connection, parts, rectangles))
                .compose(taken -> taken
                        ? run(connection, "RELEASE SAVEPOINT before_lease").map(true)
                        : run(connection, "ROLLBACK TO SAVEPOINT before_lease")
                                .compose(undone -> run(connection, "RELEASE SAVEPOINT before_lease"))
                                .map(false));
    }

    private static final String LOCK_NODES = """
            -- lease.lock_nodes
            SELECT n.node_id FROM node n
             WHERE n.node_id = ANY ($1) AND n.retired_at IS NULL
             ORDER BY n.node_id FOR SHARE OF n""";

    // The constraint does not know of turnaround, so there only one may look and take at a time.
    private static final String LOCK_NODES_ALONE = """
            -- lease.lock_nodes_alone
            SELECT n.node_id FROM node n JOIN pool p ON p.pool_id = n.pool_id AND p.turnaround > interval '0'
             WHERE n.node_id = ANY ($1) AND $2 = 0
             ORDER BY n.node_id FOR NO KEY UPDATE OF n""";

    // After the locks: only so does it see an outage or a neighbour that was committed meanwhile.
    private static final String TAKE = """
            -- lease.take
            INSERT INTO allocation (layer, node_id, gpus, during, reservation_id, lease_id, created_at)
            SELECT $4::int, part.node_id, part.gpus, tstzrange($5, $6), $7, $8, $9
              FROM (SELECT node_id, int4range(first, first + gpus) AS gpus
                      FROM unnest($1::text[], $2::int[], $3::int[]) AS given (node_id, first, gpus)) part
              JOIN node n ON n.node_id = part.node_id
              LEFT JOIN pool p ON p.pool_id = n.pool_id
             WHERE NOT EXISTS (
                   SELECT FROM allocation out
                    WHERE out.live AND out.layer = 2::smallint AND out.node_id = part.node_id AND out.gpus && part.gpus
                      AND out.during && tstzrange($5::timestamptz, $6::timestamptz))
               AND ($4::int <> 0 OR p.turnaround IS NULL OR p.turnaround = interval '0' OR NOT EXISTS (
                   SELECT FROM allocation near
                    WHERE near.live AND near.layer = 0::smallint AND near.node_id = part.node_id AND near.gpus && part.gpus
                      AND near.during && tstzrange($5::timestamptz - p.turnaround, $6::timestamptz + p.turnaround)))
             ORDER BY part.node_id, part.gpus
            ON CONFLICT DO NOTHING""";

    private static Future<Boolean> take(SqlConnection connection, List<Place.Part> parts, Rectangles rectangles) {
        String[] nodes = parts.stream().map(Place.Part::nodeId).toArray(String[]::new);
        long machines = Arrays.stream(nodes).distinct().count();
        Tuple values = Tuple.tuple()
                .addArrayOfString(nodes)
                .addArrayOfInteger(parts.stream().map(Place.Part::firstGpu).toArray(Integer[]::new))
                .addArrayOfInteger(parts.stream().map(Place.Part::gpus).toArray(Integer[]::new))
                .addInteger(rectangles.layer())
                .addOffsetDateTime(PgTime.of(rectangles.window().start()))
                .addOffsetDateTime(PgTime.of(rectangles.window().end()))
                .addString(rectangles.reservationId())
                .addString(rectangles.leaseId())
                .addOffsetDateTime(PgTime.of(rectangles.now()));
        Future<RowSet<Row>> alone = connection
                .preparedQuery(LOCK_NODES_ALONE)
                .execute(Tuple.tuple().addArrayOfString(nodes).addInteger(rectangles.layer()));
        Future<RowSet<Row>> shared =
                connection.preparedQuery(LOCK_NODES).execute(Tuple.tuple().addArrayOfString(nodes));
        Future<RowSet<Row>> taken = connection.preparedQuery(TAKE).execute(values);
        return Future.all(alone, shared, taken)
                .map(done ->
                        shared.result().size() == machines && taken.result().rowCount() == parts.size());
    }

    // ---- what there is ------------------------------------------------------------------------------------

    private static final String MACHINES_INSIDE = """
            -- lease.machines_inside
            SELECT n.node_id, n.name, own."firstGpu" AS own_first, own."firstGpu" + own.gpus AS own_end,
                   lower(a.gpus) AS taken_first, upper(a.gpus) AS taken_end
              FROM reservation r
              CROSS JOIN LATERAL jsonb_to_recordset(r.assignment) AS own (id text, "firstGpu" int, gpus int)
              JOIN node n ON n.node_id = own.id AND n.retired_at IS NULL
              LEFT JOIN allocation a
                ON a.live AND a.layer IN (1::smallint, 2::smallint) AND a.node_id = n.node_id
               AND a.during && tstzrange($3::timestamptz, $4::timestamptz)
             WHERE r.reservation_id = $1 AND (cardinality($2::text[]) = 0 OR n.model = ANY ($2))
             ORDER BY n.node_id""";

    private static Future<List<LeaseFit.Machine>> machinesInside(
            SqlClient client, String reservationId, Set<String> models, Window window) {
        Tuple values = Tuple.tuple()
                .addString(reservationId)
                .addArrayOfString(models.toArray(String[]::new))
                .addOffsetDateTime(PgTime.of(window.start()))
                .addOffsetDateTime(PgTime.of(window.end()));
        return client.preparedQuery(MACHINES_INSIDE).execute(values).map(rows -> {
            Map<String, LeaseFit.Machine> machines = new LinkedHashMap<>();
            Map<String, BitSet> taken = new LinkedHashMap<>();
            for (Row row : rows) {
                LeaseFit.Machine machine = machines.computeIfAbsent(
                        row.getString("node_id"),
                        id -> new LeaseFit.Machine(id, row.getString("name"), new BitSet(), new BitSet()));
                machine.own().set(row.getInteger("own_first"), row.getInteger("own_end"));
                BitSet gone = taken.computeIfAbsent(machine.nodeId(), id -> new BitSet());
                if (row.getInteger("taken_first") != null) {
                    gone.set(row.getInteger("taken_first"), row.getInteger("taken_end"));
                }
            }
            machines.values().forEach(machine -> {
                machine.free().or(machine.own());
                machine.free().andNot(taken.getOrDefault(machine.nodeId(), new BitSet()));
            });
            return List.copyOf(machines.values());
        });
    }

    private static Future<List<LeaseFit.Machine>> machinesOf(SqlClient client, OwnPool pool, Window window) {
        return PgRooms.read(
                        client,
                        pool.teamId(),
                        List.of(pool.model()),
                        List.of(pool.name()),
                        window.start(),
                        window.end())
                .map(rooms -> rooms.stream()
                        .flatMap(room -> room.nodes().stream().map(node -> machine(room, node, window)))
                        .toList());
    }

    private static LeaseFit.Machine machine(Room room, Room.Node node, Window window) {
        LeaseFit.Machine machine = LeaseFit.Machine.idle(node.id(), node.name(), node.gpus());
        machine.free().andNot(node.takenDuring(window, room.turnaround()));
        return machine;
    }

    @Override
    public Future<Boolean> couldEverInside(String reservationId, int gpus) {
        Window never = new Window(Instant.EPOCH, Instant.EPOCH.plusSeconds(1));
        return machinesInside(database.pool(), reservationId, Set.of(), never)
                .map(machines -> machines.isEmpty() || LeaseFit.couldEver(machines, gpus));
    }

    // ---- afterwards ---------------------------------------------------------------------------------------

    private static final String EXTEND = """
            -- lease.extend
            UPDATE allocation SET during = tstzrange(lower(during), $2) WHERE lease_id = $1 AND live""";

    @Override
    public Future<Optional<Instant>> extendInside(
            SqlConnection connection, String reservationId, String leaseId, Instant until, Instant now) {
        return parentsEnd(connection, reservationId).compose(end -> {
            Instant reached =
                    end.map(each -> each.isBefore(until) ? each : until).orElse(now);
            return reached.isAfter(now)
                    ? connection
                            .preparedQuery(EXTEND)
                            .execute(Tuple.of(leaseId, PgTime.of(reached)))
                            .map(Optional.of(reached))
                    : Future.succeededFuture(Optional.empty());
        });
    }

    private static final String RELEASE = """
            -- lease.give_back
            UPDATE allocation
               SET live = false, released_at = $2,
                   during = CASE WHEN during @> $2::timestamptz AND lower(during) < $2
                                 THEN tstzrange(lower(during), $2) ELSE during END
             WHERE lease_id = $1 AND live""";

    @Override
    public Future<Void> release(SqlConnection connection, String leaseId, Instant now) {
        return connection
                .preparedQuery(RELEASE)
                .execute(Tuple.of(leaseId, PgTime.of(now)))
                .mapEmpty();
    }

    private static final String COVERED = """
            NOT EXISTS (
                   SELECT FROM allocation a
                    CROSS JOIN LATERAL generate_series(lower(a.gpus), upper(a.gpus) - 1) AS gpu
                    WHERE a.lease_id = l.lease_id AND NOT EXISTS (
                          SELECT FROM jsonb_to_recordset(r.assignment) AS own (id text, "firstGpu" int, gpus int)
                           WHERE own.id = a.node_id AND gpu >= own."firstGpu" AND gpu < own."firstGpu" + own.gpus))""";

    private static final String MISFITS = """
            -- lease.misfits
            SELECT l.lease_id
              FROM lease l JOIN reservation r ON r.reservation_id = l.reservation_id
             WHERE l.state IN ('held', 'stale')
               AND (r.state <> 'active' OR upper(r.during) < l.ends_at
                    OR (upper(r.during) > l.ends_at
                        AND l.held_at + l.max_duration_seconds * interval '1 second' > l.ends_at)
                    OR NOT\s""" + COVERED + ")";

    @Override
    public Future<List<String>> misfits() {
        return database.pool()
                .query(MISFITS)
                .execute()
                .map(rows -> stream(rows).map(row -> row.getString("lease_id")).toList());
    }

    private static final String COVERED_UNTIL = """
            -- lease.covered_until
            SELECT upper(r.during) AS end_at
              FROM lease l JOIN reservation r ON r.reservation_id = l.reservation_id
             WHERE l.lease_id = $1 AND r.state = 'active' AND\s""" + COVERED;

    @Override
    public Future<Optional<Instant>> coveredUntil(SqlClient client, String leaseId) {
        return client.preparedQuery(COVERED_UNTIL)
                .execute(Tuple.of(leaseId))
                .map(rows -> stream(rows).findFirst().map(row -> PgTime.read(row, "end_at")));
    }

    private static final String HOSTS = """
            -- lease.hosts
            SELECT a.lease_id, n.node_id, n.name, n.model, n.address, n.ssh_port, n.ssh_user,
                   m.readiness, m.host_key, lower(a.gpus) AS first_gpu, upper(a.gpus) AS end_gpu,
                   (SELECT o.reason FROM allocation out JOIN outage o ON o.outage_id = out.outage_id
                     WHERE out.live AND out.layer = 2::smallint AND out.node_id = a.node_id AND out.gpus && a.gpus
                       AND out.during @> $2::timestamptz
                     ORDER BY lower(out.during), o.outage_id LIMIT 1) AS outage
              FROM allocation a
              JOIN node n ON n.node_id = a.node_id
              JOIN lease l ON l.lease_id = a.lease_id
              LEFT JOIN machine_readiness m ON m.reservation_id = l.reservation_id AND m.node_id = n.node_id
             WHERE a.lease_id = ANY ($1)
             ORDER BY a.lease_id, n.node_id, first_gpu""";

    @Override
    public Future<Map<String, List<Host>>> hosts(SqlClient client, Collection<String> leaseIds, Instant now) {
        if (leaseIds.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        return client.preparedQuery(HOSTS)
                .execute(Tuple.of(leaseIds.toArray(String[]::new), PgTime.of(now)))
                .map(rows -> {
                    Map<String, Map<String, Host>> byLease = new LinkedHashMap<>();
                    for (Row row : rows) {
                        byLease.computeIfAbsent(row.getString("lease_id"), id -> new LinkedHashMap<>())
                                .merge(row.getString("node_id"), host(row), PgLeaseAllocations::joined);
                    }
                    Map<String, List<Host>> hosts = new LinkedHashMap<>();
                    byLease.forEach((lease, found) -> hosts.put(lease, List.copyOf(found.values())));
                    return hosts;
                });
    }

    private static Host host(Row row) {
        List<Integer> gpus = IntStream.range(row.getInteger("first_gpu"), row.getInteger("end_gpu"))
                .boxed()
                .toList();
        return new Host(
                row.getString("name"),
                row.getString("model"),
                row.getString("address"),
                row.getInteger("ssh_port"),
                row.getString("ssh_user"),
                row.getString("readiness"),
                row.getString("host_key"),
                gpus,
                row.getString("outage"));
    }

    private static Host joined(Host one, Host other) {
        List<Integer> gpus = new ArrayList<>(one.gpus());
        gpus.addAll(other.gpus());
        return new Host(
                one.name(),
                one.model(),
                one.address(),
                one.port(),
                one.user(),
                one.readiness(),
                one.hostKey(),
                gpus,
                one.outage() == null ? other.outage() : one.outage());
    }

    private static Future<Void> run(SqlConnection connection, String sql) {
        return connection.query(sql).execute().mapEmpty();
    }

    private static java.util.stream.Stream<Row> stream(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false);
    }
}
