package dev.gpubroker.broker.allocation;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The ledger in PostgreSQL. Finding room is a guess; the exclusion constraint decides. Locks are taken in the order pool rows,
 * node rows (both by id), rectangles (by node), so that no two placings can wait for each other.
 */
public final class PgAllocations implements Allocations {
    /** Tries of one booking. From the second one on those that lost take turns, so that more than two are rare. */
    private static final int MOST_TRIES = 10;
    /** Spans that are told to be in the way; more help nobody. */
    private static final int MOST_CONFLICTS = 50;

    private final Database database;
    private final GpuCatalogue catalogue;

    public PgAllocations(Database database, GpuCatalogue catalogue) {
        this.database = database;
        this.catalogue = catalogue;
    }

    @Override
    public Future<List<Place>> find(Wanted wanted, Window window) {
        return find(database.pool(), wanted, window);
    }

    private Future<List<Place>> find(SqlClient client, Wanted wanted, Window window) {
        // No place uses more nodes than GPUs.
        return PgRooms.alike(client, wanted.teamId(), models(wanted), wanted.pools(), window, wanted.gpus())
                .map(rooms -> Fit.best(rooms, wanted, window));
    }

    @Override
    public Future<List<PoolView>> eligible(Wanted wanted) {
        return PgRooms.empty(database.pool(), wanted.teamId(), models(wanted), wanted.pools())
                .map(rooms -> rooms.stream()
                        .filter(room -> Fit.couldEver(room, wanted))
                        .map(room -> new PoolView(
                                room.poolId(),
                                room.poolName(),
                                room.model(),
                                room.gpusPerNode(),
                                room.nodes().size()))
                        .toList());
    }

    @Override
    public Future<List<FreeWindow>> freeWindows(Wanted wanted, Window around, Instant horizon, int limit) {
        if (horizon.isBefore(around.start())) {
            return Future.succeededFuture(List.of());
        }
        return rooms(wanted, around.start(), horizon.plus(around.length()))
                .map(rooms -> FreeTimes.earliest(rooms, wanted, around, horizon, limit).stream()
                        .map(window -> freeWindow(rooms, wanted, window))
                        .toList());
    }

    private static FreeWindow freeWindow(List<Room> rooms, Wanted wanted, Window window) {
        String pool = Fit.best(rooms, wanted, window).get(0).poolId();
        Room room = rooms.stream()
                .filter(each -> each.poolId().equals(pool))
                .findFirst()
                .orElseThrow();
        return new FreeWindow(window, room.poolName(), Fit.free(room, window));
    }

    @Override
    public Future<List<Conflict>> conflicts(Wanted wanted, Window window) {
        return rooms(wanted, window.start(), window.end()).compose(rooms -> {
            List<Room> able =
                    rooms.stream().filter(room -> Fit.couldEver(room, wanted)).toList();
            return named(wanted.teamId(), FreeTimes.inTheWay(able, window, MOST_CONFLICTS));
        });
    }

    private static final String TITLES = """
            -- allocation.titles
            SELECT reservation_id, title FROM reservation WHERE team_id = $1 AND reservation_id = ANY ($2)""";

    /** With the titles of the team's own reservations, and without the ids of others'. */
    private Future<List<Conflict>> named(String team, List<Conflict> conflicts) {
        String[] ids = conflicts.stream()
                .flatMap(each -> Stream.ofNullable(each.reservationId()))
                .distinct()
                .toArray(String[]::new);
        if (ids.length == 0) {
            return Future.succeededFuture(conflicts);
        }
        return database.pool()
                .preparedQuery(TITLES)
                .execute(Tuple.tuple().addString(team).addArrayOfString(ids))
                .map(rows -> {
                    Map<String, Optional<String>> titles = stream(rows)
                            .collect(toMap(
                                    row -> row.getString("reservation_id"),
                                    row -> Optional.ofNullable(row.getString("title"))));
                    return conflicts.stream().map(each -> named(each, titles)).toList();
                });
    }

    private static Conflict named(Conflict each, Map<String, Optional<String>> titles) {
        String id = each.reservationId();
        Optional<String> title = id == null ? null : titles.get(id);
        return new Conflict(
                title == null ? null : id,
                title == null ? null : title.orElse(null),
                each.node(),
                each.firstGpu(),
                each.gpus(),
                each.window());
    }

    private Future<List<Room>> rooms(Wanted wanted, Instant from, Instant to) {
        return PgRooms.read(database.pool(), wanted.teamId(), models(wanted), wanted.pools(), from, to);
    }

    /** A pool of a family leaves memory and form open, so it serves nobody who states them. */
    private List<String> models(Wanted wanted) {
        return wanted.models().stream()
                .filter(model ->
                        !wanted.statesMemoryOrForm() || catalogue.model(model).isPresent())
                .toList();
    }

    @Override
    public Future<List<Place>> place(
            SqlConnection connection,
            Wanted wanted,
            @Nullable Place seen,
            Window window,
            String reservationId,
            Instant now) {
        Booking booking = new Booking(reservationId, window, now);
        return seen == null
                ? attempt(connection, wanted, booking, 1)
                : takeOrUndo(connection, parts(seen), booking)
                        .compose(taken -> taken
                                ? Future.succeededFuture(List.of(seen))
                                : attempt(connection, wanted, booking, 1));
    }

    record Booking(String reservationId, Window window, Instant now) {}

    private Future<List<Place>> attempt(SqlConnection connection, Wanted wanted, Booking booking, int number) {
        return find(connection, wanted, booking.window()).compose(places -> {
            if (places.isEmpty() || number > MOST_TRIES) {
                return Future.succeededFuture(List.of());
            }
            Place best = places.get(0);
            return takeOrUndo(connection, parts(best), booking)
                    .compose(taken -> taken
                            ? Future.succeededFuture(List.of(best))
                            : takeTurns(connection, places)
                                    .compose(locked -> attempt(connection, wanted, booking, number + 1)));
        });
    }

    private static final String SAVE = "SAVEPOINT before_parts";
    private static final String KEEP = "RELEASE SAVEPOINT before_parts";
    private static final String UNDO = "ROLLBACK TO SAVEPOINT before_parts";

    /** All parts or none; a lost try gives its node locks back as well. What is taken stays in the savepoint until the commit. */
    static Future<Boolean> takeOrUndo(SqlConnection connection, List<Part> parts, Booking booking) {
        Future<Void> saved = run(connection, SAVE);
        Future<Boolean> tried = take(connection, parts, booking);
        return Future.all(saved, tried)
                .compose(both -> tried.result()
                        ? Future.succeededFuture(true)
                        : run(connection, UNDO)
                                .compose(undone -> run(connection, KEEP))
                                .map(false));
    }

    private static final String TURN = """
            -- allocation.turn
            SELECT pool_id FROM pool WHERE pool_id = ANY ($1) ORDER BY pool_id FOR NO KEY UPDATE""";

    /** Those who lost a race for the same pools go one by one, or they would all run for the next place together again. */
    private static Future<Void> takeTurns(SqlConnection connection, List<Place> places) {
        String[] pools = places.stream().map(Place::poolId).toArray(String[]::new);
        return connection
                .preparedQuery(TURN)
                .execute(Tuple.tuple().addArrayOfString(pools))
                .mapEmpty();
    }

    /** GPUs {@code [first, first + gpus)} of a node. */
    record Part(String nodeId, int first, int gpus) {}

    private static List<Part> parts(Place place) {
        return place.parts().stream()
                .map(part -> new Part(part.nodeId(), part.firstGpu(), part.gpus()))
                .toList();
    }

    private static final String LOCK = """
            -- allocation.lock_nodes
            SELECT n.node_id FROM node n
             WHERE n.node_id = ANY ($1) AND n.retired_at IS NULL
             ORDER BY n.node_id FOR SHARE OF n""";

    // The constraint does not know of turnaround, so there only one may look and take at a time.
    private static final String LOCK_ALONE = """
            -- allocation.lock_nodes_alone
            SELECT n.node_id FROM node n JOIN pool p ON p.pool_id = n.pool_id AND p.turnaround > interval '0'
             WHERE n.node_id = ANY ($1)
             ORDER BY n.node_id FOR NO KEY UPDATE OF n""";

    // A statement of its own, after the locks: only so does it see an outage or a neighbour that was committed
    // meanwhile.
    private static final String TAKE = """
            -- allocation.take
            INSERT INTO allocation (layer, node_id, gpus, during, reservation_id, created_at)
            SELECT 0, part.node_id, part.gpus, tstzrange($4, $5), $6, $7
              FROM (SELECT node_id, int4range(first, first + gpus) AS gpus
                      FROM unnest($1::text[], $2::int[], $3::int[]) AS given (node_id, first, gpus)) part
              JOIN node n ON n.node_id = part.node_id
              LEFT JOIN pool p ON p.pool_id = n.pool_id
             WHERE NOT EXISTS (
                   SELECT FROM allocation out
                    WHERE out.live AND out.layer = 2::smallint AND out.node_id = part.node_id AND out.gpus && part.gpus
                      AND out.during && tstzrange($4::timestamptz, $5::timestamptz))
               AND (p.turnaround IS NULL OR p.turnaround = interval '0' OR NOT EXISTS (
                   SELECT FROM allocation near
                    WHERE near.live AND near.layer = 0::smallint AND near.node_id = part.node_id AND near.gpus && part.gpus
                      AND near.during && tstzrange($4::timestamptz - p.turnaround, $5::timestamptz + p.turnaround)
                      AND near.reservation_id IS DISTINCT FROM $6))
             ORDER BY part.node_id
            ON CONFLICT DO NOTHING""";

    /** Whether every part was taken; if not, some may have been. The three statements travel together. */
    private static Future<Boolean> take(SqlConnection connection, List<Part> parts, Booking booking) {
        String[] nodes = parts.stream().map(Part::nodeId).toArray(String[]::new);
        long machines = parts.stream().map(Part::nodeId).distinct().count();
        Tuple locked = Tuple.tuple().addArrayOfString(nodes);
        Tuple values = Tuple.tuple()
                .addArrayOfString(nodes)
                .addArrayOfInteger(parts.stream().map(Part::first).toArray(Integer[]::new))
                .addArrayOfInteger(parts.stream().map(Part::gpus).toArray(Integer[]::new))
                .addOffsetDateTime(PgTime.of(booking.window().start()))
                .addOffsetDateTime(PgTime.of(booking.window().end()))
                .addString(booking.reservationId())
                .addOffsetDateTime(PgTime.of(booking.now()));
        Future<RowSet<Row>> alone = connection.preparedQuery(LOCK_ALONE).execute(locked);
        Future<RowSet<Row>> shared = connection.preparedQuery(LOCK).execute(locked);
        Future<RowSet<Row>> taken = connection.preparedQuery(TAKE).execute(values);
        return Future.all(alone, shared, taken)
                .map(done ->
                        shared.result().size() == machines && taken.result().rowCount() == parts.size());
    }

    private static final String PARTS = """
            -- allocation.parts
            SELECT DISTINCT node_id, lower(gpus) AS first_gpu, upper(gpus) - lower(gpus) AS gpus
              FROM allocation
             WHERE reservation_id = $1 AND live AND layer = 0::smallint
             ORDER BY node_id, first_gpu""";

    @Override
    public Future<Boolean> extend(
            SqlConnection connection, String reservationId, Instant from, Instant to, Instant now) {
        Booking added = new Booking(reservationId, new Window(from, to), now);
        return connection
                .preparedQuery(PARTS)
                .execute(Tuple.of(reservationId))
                .map(PgAllocations::parts)
                .compose(parts ->
                        parts.isEmpty() ? Future.succeededFuture(false) : takeOrUndo(connection, parts, added));
    }

    private static List<Part> parts(RowSet<Row> rows) {
        return stream(rows)
                .map(row -> new Part(row.getString("node_id"), row.getInteger("first_gpu"), row.getInteger("gpus")))
                .toList();
    }

    private static final String TRUNCATE = """
            -- allocation.truncate
            UPDATE allocation
               SET live = lower(during) < $2,
                   during = CASE WHEN lower(during) < $2 THEN tstzrange(lower(during), $2) ELSE during END
             WHERE reservation_id = $1 AND live AND during && tstzrange($2::timestamptz, NULL)""";

    private static final String LOCK_PARENT = """
            -- allocation.lock_parent
            SELECT reservation_id FROM reservation WHERE reservation_id = $1 FOR UPDATE""";

    /** Until the transaction ends, nobody is granted a lease inside it. */
    static Future<Void> lockParent(SqlConnection connection, String reservationId) {
        return connection
                .preparedQuery(LOCK_PARENT)
                .execute(Tuple.of(reservationId))
                .mapEmpty();
    }

    /**
     * A rectangle that shrinks collides with nobody, so no node has to be locked. The reservation is, or a lease might be
     * granted in what is being cut away; leases inside are cut with it.
     */
    @Override
    public Future<Void> truncate(SqlConnection connection, String reservationId, Instant end) {
        return lockParent(connection, reservationId)
                .compose(locked -> connection.preparedQuery(TRUNCATE).execute(Tuple.of(reservationId, PgTime.of(end))))
                .mapEmpty();
    }

    private static final String RELEASE = """
            -- allocation.release
            UPDATE allocation SET live = false, released_at = $2
             WHERE reservation_id = $1 AND released_at IS NULL""";

    @Override
    public Future<Void> release(SqlConnection connection, String reservationId, Instant now) {
        return connection
                .preparedQuery(RELEASE)
                .execute(Tuple.of(reservationId, PgTime.of(now)))
                .mapEmpty();
    }

    private static final String WAITS = """
            -- allocation.waits
            SELECT EXISTS (
                   SELECT FROM allocation own
                     JOIN allocation earlier
                       ON earlier.live AND earlier.released_at IS NULL AND earlier.layer = 0::smallint
                      AND earlier.node_id = own.node_id AND earlier.gpus && own.gpus AND earlier.during << own.during
                      AND earlier.reservation_id IS DISTINCT FROM own.reservation_id
                    WHERE own.reservation_id = $1 AND own.live AND own.layer = 0::smallint) AS waits""";

    @Override
    public Future<Boolean> waitsForAnEarlierOne(String reservationId) {
        return waits(database.pool(), reservationId);
    }

    static Future<Boolean> waits(SqlClient client, String reservationId) {
        return client.preparedQuery(WAITS)
                .execute(Tuple.of(reservationId))
                .map(rows -> rows.iterator().next().getBoolean("waits"));
    }

    private static final String OF = """
            -- allocation.of
            SELECT DISTINCT p.pool_id, p.name AS pool_name, p.model, p.gpus_per_node, n.node_id, n.name AS node_name,
                   lower(a.gpus) AS first_gpu, upper(a.gpus) - lower(a.gpus) AS gpus
              FROM allocation a
              JOIN node n ON n.node_id = a.node_id
              JOIN pool p ON p.pool_id = n.pool_id
             WHERE a.reservation_id = $1 AND a.live AND a.layer = 0::smallint
             ORDER BY p.pool_id, n.node_id, first_gpu""";

    @Override
    public Future<List<Place>> of(String reservationId) {
        return of(database.pool(), reservationId);
    }

    static Future<List<Place>> of(SqlClient client, String reservationId) {
        return client.preparedQuery(OF)
                .execute(Tuple.of(reservationId))
                .map(rows -> stream(rows)
                        .collect(groupingBy(row -> row.getString("pool_id"), LinkedHashMap::new, toList()))
                        .values()
                        .stream()
                        .map(PgAllocations::placeOf)
                        .toList());
    }

    private static Place placeOf(List<Row> rows) {
        Row pool = rows.get(0);
        List<Place.Part> parts = new ArrayList<>();
        for (Row row : rows) {
            Place.Part part = new Place.Part(
                    row.getString("node_id"),
                    row.getString("node_name"),
                    row.getInteger("first_gpu"),
                    row.getInteger("gpus"));
            Place.Part last = parts.isEmpty() ? null : parts.get(parts.size() - 1);
            if (last != null && last.isFollowedBy(part)) {
                parts.set(parts.size() - 1, last.with(part)); // It grew by its neighbours.
            } else {
                parts.add(part);
            }
        }
        return new Place(
                pool.getString("pool_id"),
                pool.getString("pool_name"),
                pool.getString("model"),
                pool.getInteger("gpus_per_node"),
                parts);
    }

    private static Future<Void> run(SqlConnection connection, String sql) {
        return connection.query(sql).execute().mapEmpty();
    }

    private static Stream<Row> stream(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false);
    }
}
