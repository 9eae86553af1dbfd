package dev.gpubroker.broker.allocation;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Conflict;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import dev.gpubroker.broker.allocation.PgAllocations.Booking;
import dev.gpubroker.broker.allocation.PgAllocations.Part;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Changes of the ledger in PostgreSQL; locks as {@link PgAllocations} takes them. */
public final class PgAllocationChanges implements AllocationChanges {
    private final Database database;
    private final PgAllocations allocations;

    public PgAllocationChanges(Database database, PgAllocations allocations) {
        this.database = database;
        this.allocations = allocations;
    }

    @Override
    public Future<List<Place>> of(SqlConnection connection, String reservationId) {
        return PgAllocations.of(connection, reservationId);
    }

    @Override
    public Future<Boolean> waitsForAnEarlierOne(SqlConnection connection, String reservationId) {
        return PgAllocations.waits(connection, reservationId);
    }

    // ---- ahead --------------------------------------------------------------------------------------------

    private static final String AHEAD = """
            -- allocation.ahead
            SELECT r.reservation_id, r.title, n.name AS node_name, near.layer, lower(near.gpus) AS first_gpu,
                   upper(near.gpus) - lower(near.gpus) AS gpus, lower(near.during) AS start_at,
                   CASE WHEN isfinite(upper(near.during)) THEN upper(near.during) END AS end_at,
                   (extract(epoch FROM coalesce(p.turnaround, interval '0')) * 1000000)::bigint AS turnaround_micros
              FROM (SELECT DISTINCT node_id, gpus FROM allocation
                     WHERE reservation_id = $1 AND live AND layer = 0::smallint) own
              JOIN node n ON n.node_id = own.node_id
              LEFT JOIN pool p ON p.pool_id = n.pool_id
              JOIN allocation near
                ON near.live AND near.layer IN (0::smallint, 2::smallint) AND near.node_id = own.node_id
               AND near.gpus && own.gpus AND near.during && tstzrange($2, NULL)
               AND near.reservation_id IS DISTINCT FROM $1
              LEFT JOIN reservation r
                ON r.reservation_id = near.reservation_id
               AND r.team_id = (SELECT team_id FROM reservation WHERE reservation_id = $1)
             ORDER BY start_at, n.node_id, first_gpu
             LIMIT 50""";

    @Override
    public Future<Ahead> ahead(String reservationId, Window added) {
        return database.pool()
                .preparedQuery(AHEAD)
                .execute(Tuple.of(reservationId, PgTime.of(added.start())))
                .map(rows -> ahead(rows, added));
    }

    private static Ahead ahead(RowSet<Row> rows, Window added) {
        @Nullable Instant freeUntil = null;
        List<Conflict> conflicts = new ArrayList<>();
        for (Row row : rows) {
            Duration gap = row.getInteger("layer") == 2
                    ? Duration.ZERO // What is repaired can be used at once.
                    : Duration.of(row.getLong("turnaround_micros"), ChronoUnit.MICROS);
            Instant start = PgTime.read(row, "start_at");
            Instant free = start.minus(gap);
            if (freeUntil == null || free.isBefore(freeUntil)) {
                freeUntil = free;
            }
            if (free.isBefore(added.end())) {
                Conflict conflict = conflict(row, start, added);
                if (!conflicts.contains(conflict)) { // One neighbour may touch several rectangles of its own.
                    conflicts.add(conflict);
                }
            }
        }
        return new Ahead(freeUntil, conflicts);
    }

    private static Conflict conflict(Row row, Instant start, Window added) {
        Instant end = PgTime.readNullable(row, "end_at");
        Instant shown = end != null ? end : start.isBefore(added.end()) ? added.end() : start.plusSeconds(1);
        return new Conflict(
                row.getString("reservation_id"),
                row.getString("title"),
                row.getString("node_name"),
                row.getInteger("first_gpu"),
                row.getInteger("gpus"),
                new Window(start, shown));
    }

    // ---- move ---------------------------------------------------------------------------------------------

    private static final String RETIRE = """
            -- allocation.retire
            UPDATE allocation SET live = false, released_at = $2
             WHERE reservation_id = $1 AND live AND layer = 0::smallint""";

    /** Old and new may share GPUs, so the old is out of the way before the new is looked for; a failure brings it back. */
    @Override
    public Future<List<Place>> move(
            SqlConnection connection, Wanted wanted, Window window, String reservationId, Instant now) {
        return run(connection, "SAVEPOINT before_move")
                .compose(saved -> connection.preparedQuery(RETIRE).execute(Tuple.of(reservationId, PgTime.of(now))))
                .compose(retired -> allocations.place(connection, wanted, null, window, reservationId, now))
                .compose(places -> places.isEmpty()
                        ? run(connection, "ROLLBACK TO SAVEPOINT before_move")
                                .compose(undone -> run(connection, "RELEASE SAVEPOINT before_move"))
                                .map(places)
                        : run(connection, "RELEASE SAVEPOINT before_move").map(places));
    }

    private static Future<Void> run(SqlConnection connection, String sql) {
        return connection.query(sql).execute().mapEmpty();
    }

    // ---- resize -------------------------------------------------------------------------------------------

    @Override
    public Future<Boolean> resize(
            SqlConnection connection, Wanted wanted, Window window, String reservationId, Instant now) {
        return of(connection, reservationId).compose(places -> {
            if (places.size() != 1) {
                return Future.succeededFuture(false); // Nothing held, or spread over pools, which no booking is.
            }
            Place place = places.get(0);
            return PgRooms.read(
                            connection,
                            wanted.teamId(),
                            List.of(place.model()),
                            List.of(place.poolName()),
                            window.start(),
                            window.end())
                    .map(rooms ->
                            rooms.stream().findFirst().flatMap(room -> Resize.of(room, reservationId, wanted, window)))
                    .compose(found -> resize(connection, found, new Booking(reservationId, window, now)));
        });
    }

    private static Future<Boolean> resize(SqlConnection connection, Optional<Resize> found, Booking booking) {
        if (found.isEmpty()) {
            return Future.succeededFuture(false);
        }
        if (found.get().givenUp().isEmpty()) {
            return PgAllocations.takeOrUndo(connection, parts(found.get().added()), booking);
        }
        // Or a lease might be granted in what is being given up.
        Future<Void> all = PgAllocations.lockParent(connection, booking.reservationId());
        for (Part part : parts(found.get().givenUp())) {
            all = all.compose(done -> giveUp(connection, part, booking));
        }
        return all.map(true);
    }

    private static List<Part> parts(List<Place.Part> parts) {
        return parts.stream()
                .map(part -> new Part(part.nodeId(), part.firstGpu(), part.gpus()))
                .toList();
    }

    // What it had of these GPUs until now stays on record, as given back: a later start does not wait for it.
    private static final String KEEP_RECORD = """
            -- allocation.keep_record
            INSERT INTO allocation (layer, node_id, gpus, during, live, reservation_id, created_at, released_at)
            SELECT 0, node_id, gpus * int4range($3, $4), tstzrange(lower(during), least(upper(during), $5)), false,
                   reservation_id, created_at, $5
              FROM allocation
             WHERE reservation_id = $1 AND live AND layer = 0::smallint AND node_id = $2 AND gpus && int4range($3, $4)
               AND lower(during) < $5""";

    private static final String NARROW = """
            -- allocation.narrow
            UPDATE allocation
               SET live = NOT gpus <@ int4range($3, $4),
                   gpus = CASE WHEN gpus <@ int4range($3, $4) THEN gpus ELSE gpus - int4range($3, $4) END,
                   released_at = CASE WHEN gpus <@ int4range($3, $4) THEN $5::timestamptz END
             WHERE reservation_id = $1 AND live AND layer = 0::smallint AND node_id = $2 AND gpus && int4range($3, $4)""";

    // A lease that loses one of its GPUs is over; its other GPUs are given back with it in a moment.
    private static final String END_LEASES = """
            -- allocation.end_leases
            UPDATE allocation
               SET live = false, released_at = $5,
                   during = CASE WHEN lower(during) < $5 AND during @> $5::timestamptz
                                 THEN tstzrange(lower(during), $5) ELSE during END
             WHERE reservation_id = $1 AND live AND layer = 1::smallint AND node_id = $2 AND gpus && int4range($3, $4)""";

    /**
     * The highest indexes of a rectangle, with what is leased of them; one that shrinks collides with nobody, so no node has
     * to be locked.
     */
    private static Future<Void> giveUp(SqlConnection connection, Part part, Booking booking) {
        Tuple values = Tuple.of(
                booking.reservationId(),
                part.nodeId(),
                part.first(),
                part.first() + part.gpus(),
                PgTime.of(booking.now()));
        return connection
                .preparedQuery(KEEP_RECORD)
                .execute(values)
                .compose(kept -> connection.preparedQuery(NARROW).execute(values))
                .compose(narrowed -> connection.preparedQuery(END_LEASES).execute(values))
                .mapEmpty();
    }
}
