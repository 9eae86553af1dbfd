package dev.gpubroker.broker.lease;

import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;

/** Leases in PostgreSQL. */
final class PgLeaseStore implements LeaseStore {
    private static final String COLUMNS = """
            lease_id, team_id, owner, title, target_kind, target, target_name, models, gpus, ttl_seconds,
            max_duration_seconds, max_wait_seconds, priority, joined_at, passes, state, why, reservation_id, held_at,
            heartbeat_at, stale_at, ends_at, ended_at, version""";

    private final Database database;
    private final GpuCatalogue catalogue;

    PgLeaseStore(Database database, GpuCatalogue catalogue) {
        this.database = database;
        this.catalogue = catalogue;
    }

    private static final String READ = "-- lease.read\nSELECT " + COLUMNS + " FROM lease WHERE lease_id = $1";

    @Override
    public Future<Optional<Lease>> read(String id) {
        return database.pool()
                .preparedQuery(READ)
                .execute(Tuple.of(id))
                .map(rows -> leases(rows).stream().findFirst());
    }

    private static final String LOCK =
            "-- lease.lock\nSELECT " + COLUMNS + " FROM lease WHERE lease_id = $1 FOR UPDATE";

    @Override
    public Future<Optional<Lease>> lock(SqlConnection connection, String id) {
        return connection
                .preparedQuery(LOCK)
                .execute(Tuple.of(id))
                .map(rows -> leases(rows).stream().findFirst());
    }

    private static final String INSERT = "-- lease.insert\nINSERT INTO lease (" + COLUMNS + """
            ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
            $23, $24)""";

    @Override
    public Future<Void> insert(SqlConnection connection, Lease lease) {
        LeaseWish wish = lease.wish();
        LeaseLife life = lease.life();
        Tuple values = Tuple.from(Arrays.asList(
                lease.id(),
                wish.team(),
                wish.owner(),
                wish.title(),
                wish.target().kind().wireName(),
                wish.target().id(),
                wish.target().name(),
                wish.target().models().stream().sorted().toArray(String[]::new),
                wish.gpus(),
                wish.ttl().toSeconds(),
                wish.maxDuration().toSeconds(),
                wish.maxWait().toSeconds(),
                lease.priority(),
                PgTime.of(lease.joinedAt()),
                lease.passes(),
                life.state().wireName(),
                life.why(),
                life.reservation(),
                PgTime.ofNullable(life.heldAt()),
                PgTime.ofNullable(life.heartbeatAt()),
                PgTime.ofNullable(life.staleAt()),
                PgTime.ofNullable(life.endsAt()),
                PgTime.ofNullable(life.endedAt()),
                lease.version()));
        return connection.preparedQuery(INSERT).execute(values).mapEmpty();
    }

    private static final String UPDATE = """
            -- lease.update
            UPDATE lease SET state = $2, why = $3, reservation_id = $4, held_at = $5, heartbeat_at = greatest(heartbeat_at, $6),
                   stale_at = $7, ends_at = $8, ended_at = $9, version = $10
             WHERE lease_id = $1 AND version = $10 - 1""";

    @Override
    public Future<Void> update(SqlConnection connection, Lease lease) {
        LeaseLife life = lease.life();
        Tuple values = Tuple.from(Arrays.asList(
                lease.id(),
                life.state().wireName(),
                life.why(),
                life.reservation(),
                PgTime.ofNullable(life.heldAt()),
                PgTime.ofNullable(life.heartbeatAt()),
                PgTime.ofNullable(life.staleAt()),
                PgTime.ofNullable(life.endsAt()),
                PgTime.ofNullable(life.endedAt()),
                lease.version()));
        return connection
                .preparedQuery(UPDATE)
                .execute(values)
                .compose(done -> done.rowCount() == 1
                        ? Future.succeededFuture()
                        : Future.failedFuture(new IllegalStateException(lease.id() + " was not locked")));
    }

    private static final String BEAT = """
            -- lease.beat
            UPDATE lease SET heartbeat_at = greatest(heartbeat_at, $3)
             WHERE team_id = $1 AND lease_id = $2 AND state = 'held' AND ends_at > $3
            RETURNING\s""" + COLUMNS;

    @Override
    public Future<Optional<Lease>> beat(String team, String id, Instant now) {
        return database.pool()
                .preparedQuery(BEAT)
                .execute(Tuple.of(team, id, PgTime.of(now)))
                .map(rows -> leases(rows).stream().findFirst());
    }

    private static final String QUEUE = "-- lease.queue\nSELECT " + COLUMNS
            + " FROM lease WHERE state = 'queued' ORDER BY priority DESC, joined_at, lease_id LIMIT $1";

    @Override
    public Future<List<Lease>> queue(int limit) {
        return database.pool().preparedQuery(QUEUE).execute(Tuple.of(limit)).map(PgLeaseStore::leases);
    }

    // A model is served by reservations too, so it competes with everybody; two reservations never do.
    private static final String RIVALS = """
            l.state = 'queued' AND l.team_id = $1
            AND ((l.target_kind, l.target) = ($2, $3)
                 OR (l.target_kind <> $2 AND 'model' IN (l.target_kind, $2))
                 OR (l.target_kind = 'model' AND $2 = 'model' AND l.models && $4::text[]))""";

    private static final String POSITION = """
            -- lease.position
            SELECT 1 + (SELECT count(*) FROM lease l
                         WHERE (l.priority > $5 OR (l.priority = $5 AND (l.joined_at, l.lease_id) < ($6, $7))) AND\s""" + RIVALS + """
            )
                     + (SELECT count(*) FROM reservation r
                         WHERE $2 <> 'reservation' AND r.team_id = $1 AND r.state IN ('queued', 'offered')
                           AND r.model = ANY ($10) AND r.during && tstzrange($8, $9)
                           AND (r.priority > $5 OR (r.priority = $5 AND (r.joined_at, r.reservation_id) < ($6, $7))))
                   AS position""";

    @Override
    public Future<Integer> position(Lease lease) {
        LeaseWish wish = lease.wish();
        Tuple values = rivals(wish)
                .addInteger(lease.priority())
                .addOffsetDateTime(PgTime.of(lease.joinedAt()))
                .addString(lease.id())
                .addOffsetDateTime(PgTime.of(lease.joinedAt()))
                .addOffsetDateTime(PgTime.of(lease.waitsUntil().plus(wish.maxDuration())))
                .addArrayOfString(askedAs(wish));
        return database.pool()
                .preparedQuery(POSITION)
                .execute(values)
                .map(rows -> rows.iterator().next().getLong("position").intValue());
    }

    /** The names under which reservations ask for what it may be given. */
    private String[] askedAs(LeaseWish wish) {
        return catalogue.namesOf(wish.target().models()).toArray(String[]::new);
    }

    private static Tuple rivals(LeaseWish wish) {
        return Tuple.tuple()
                .addString(wish.team())
                .addString(wish.target().kind().wireName())
                .addString(wish.target().id())
                .addArrayOfString(wish.target().models().stream().sorted().toArray(String[]::new));
    }

    private static final String SOMEBODY_WAITS = """
            -- lease.somebody_waits
            SELECT EXISTS (SELECT FROM lease l WHERE\s""" + RIVALS + """
            )
                OR ($2 <> 'reservation' AND EXISTS (
                   SELECT FROM reservation r
                    WHERE r.team_id = $1 AND r.model = ANY ($7) AND r.during && tstzrange($5, $6)
                      AND ((r.state IN ('queued', 'offered')
                            -- Others wait for the date at which what is in stock is bought.
                            AND (r.plan IS NULL OR lower(r.plan->>'stock') = 'sold_out' OR r.substitution IS NOT NULL))
                           -- Promised a place that an outage took.
                           OR (r.state IN ('confirmed', 'provisioning') AND 'blocked' = ANY (r.health)
                               AND r.blockers @> '[{"what": "outage"}]'))))
                   AS waits""";

    @Override
    public Future<Boolean> somebodyWaits(SqlConnection connection, LeaseWish wish, Instant now) {
        Tuple values = rivals(wish)
                .addOffsetDateTime(PgTime.of(now))
                .addOffsetDateTime(PgTime.of(now.plus(wish.maxDuration())))
                .addArrayOfString(askedAs(wish));
        return connection
                .preparedQuery(SOMEBODY_WAITS)
                .execute(values)
                .map(rows -> rows.iterator().next().getBoolean("waits"));
    }

    private static final String PASSED = """
            -- lease.passed
            UPDATE lease SET passes = passes + 1 WHERE lease_id = ANY ($1)""";

    @Override
    public Future<Void> passed(Collection<String> ids) {
        return ids.isEmpty()
                ? Future.succeededFuture()
                : database.pool()
                        .preparedQuery(PASSED)
                        .execute(Tuple.tuple().addArrayOfString(ids.toArray(String[]::new)))
                        .mapEmpty();
    }

    private static final String STATES = """
            -- lease.states
            SELECT lease_id, state FROM lease WHERE lease_id = ANY ($1)""";

    @Override
    public Future<Map<String, LeaseState>> states(Collection<String> ids) {
        return database.pool()
                .preparedQuery(STATES)
                .execute(Tuple.tuple().addArrayOfString(ids.toArray(String[]::new)))
                .map(rows -> {
                    Map<String, LeaseState> states = new HashMap<>();
                    rows.forEach(row ->
                            states.put(row.getString("lease_id"), LeaseState.ofWireName(row.getString("state"))));
                    return states;
                });
    }

    private static final String LIST = "-- lease.list\nSELECT " + COLUMNS + """
               FROM lease
              WHERE team_id = $1 AND (cardinality($2::text[]) = 0 OR state = ANY ($2))
                AND ($3::text IS NULL OR reservation_id = $3 OR (target_kind = 'reservation' AND target = $3))
                AND ($4::timestamptz IS NULL OR (joined_at, lease_id) < ($4, $5))
                AND ($7::text[] IS NULL OR (target_kind = 'pool' AND target = ANY ($7)))
              ORDER BY joined_at DESC, lease_id DESC
              LIMIT $6""";

    @Override
    public Future<List<Lease>> list(Filter filter) {
        Tuple values = Tuple.from(Arrays.asList(
                filter.team(),
                filter.states().stream().map(LeaseState::wireName).toArray(String[]::new),
                filter.reservation(),
                PgTime.ofNullable(filter.beforeAt()),
                filter.beforeId(),
                filter.limit(),
                filter.pools() == null ? null : filter.pools().toArray(String[]::new)));
        return database.pool().preparedQuery(LIST).execute(values).map(PgLeaseStore::leases);
    }

    private static final String SHARED = """
            -- lease.shared_reservations
            SELECT reservation_id FROM reservation
             WHERE team_id = $1 AND state = 'active' AND labels->>'leases' = 'any'
             ORDER BY upper(during), reservation_id""";

    @Override
    public Future<List<String>> sharedReservations(String team) {
        return database.pool()
                .preparedQuery(SHARED)
                .execute(Tuple.of(team))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> row.getString("reservation_id"))
                        .toList());
    }

    private static final String PARENT = """
            -- lease.parent_of
            SELECT team_id, state = 'active' AS active,
                   state IN ('releasing', 'completed', 'cancelled', 'failed', 'no_show', 'expired') AS ended
              FROM reservation WHERE reservation_id = $1""";

    @Override
    public Future<Optional<Parent>> parent(String reservationId) {
        return database.pool()
                .preparedQuery(PARENT)
                .execute(Tuple.of(reservationId))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row ->
                                new Parent(row.getString("team_id"), row.getBoolean("active"), row.getBoolean("ended")))
                        .findFirst());
    }

    private static final String NO_TARGET = """
            l.state = 'queued'
            AND ((l.target_kind = 'reservation' AND EXISTS (
                   SELECT FROM reservation r WHERE r.reservation_id = l.target
                      AND r.state IN ('releasing', 'completed', 'cancelled', 'failed', 'no_show', 'expired')))
                 OR (l.target_kind = 'pool' AND NOT EXISTS (SELECT FROM pool p WHERE p.pool_id = l.target)))""";

    private static final String HAS_NO_TARGET = """
            -- lease.has_no_target
            SELECT EXISTS (SELECT FROM lease l WHERE l.lease_id = $1 AND\s""" + NO_TARGET + ") AS gone";

    @Override
    public Future<Boolean> hasNoTarget(SqlConnection connection, String id) {
        return connection
                .preparedQuery(HAS_NO_TARGET)
                .execute(Tuple.of(id))
                .map(rows -> rows.iterator().next().getBoolean("gone"));
    }

    private static final String WITHOUT_TARGET =
            "-- lease.without_target\nSELECT l.lease_id FROM lease l WHERE " + NO_TARGET;

    @Override
    public Future<List<String>> withoutTarget() {
        return database.pool()
                .query(WITHOUT_TARGET)
                .execute()
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> row.getString("lease_id"))
                        .toList());
    }

    private static final String IS_USED = "-- lease.is_used\nSELECT EXISTS (SELECT FROM lease) AS used";

    private static final String WAS_HELD_IN = """
            -- lease.was_held_in
            SELECT EXISTS (SELECT FROM lease WHERE reservation_id = $1) AS held""";

    @Override
    public Future<Boolean> wasHeldIn(SqlConnection connection, String reservationId) {
        return connection
                .preparedQuery(WAS_HELD_IN)
                .execute(Tuple.of(reservationId))
                .map(rows -> rows.iterator().next().getBoolean("held"));
    }

    @Override
    public Future<Boolean> isUsed() {
        return database.pool()
                .query(IS_USED)
                .execute()
                .map(rows -> rows.iterator().next().getBoolean("used"));
    }

    private static List<Lease> leases(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(PgLeaseStore::lease)
                .toList();
    }

    private static Lease lease(Row row) {
        LeaseTarget target = new LeaseTarget(
                LeaseTarget.Kind.ofWireName(row.getString("target_kind")),
                row.getString("target"),
                row.getString("target_name"),
                Set.of(row.getArrayOfStrings("models")));
        LeaseWish wish = new LeaseWish(
                row.getString("team_id"),
                row.getString("owner"),
                row.getString("title"),
                target,
                row.getInteger("gpus"),
                Duration.ofSeconds(row.getLong("ttl_seconds")),
                Duration.ofSeconds(row.getLong("max_duration_seconds")),
                Duration.ofSeconds(row.getLong("max_wait_seconds")));
        LeaseLife life = new LeaseLife(
                LeaseState.ofWireName(row.getString("state")),
                row.getString("why"),
                row.getString("reservation_id"),
                PgTime.readNullable(row, "held_at"),
                PgTime.readNullable(row, "heartbeat_at"),
                PgTime.readNullable(row, "stale_at"),
                PgTime.readNullable(row, "ends_at"),
                PgTime.readNullable(row, "ended_at"));
        return new Lease(
                row.getString("lease_id"),
                wish,
                row.getInteger("priority"),
                PgTime.read(row, "joined_at"),
                row.getInteger("passes"),
                life,
                row.getLong("version"));
    }
}
