package dev.gpubroker.broker.booking;

import static dev.gpubroker.broker.stored.StoredJson.readOrNull;
import static dev.gpubroker.broker.stored.StoredJson.write;
import static dev.gpubroker.broker.stored.StoredJson.writeOrNull;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.Rejection;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Reservations in PostgreSQL. */
public final class PgReservationStore implements ReservationStore {
    private static final String COLUMNS = """
            reservation_id, team_id, owner, title, labels::text AS labels, state, ending, health, request::text AS request,
            lower(during) AS start_at, upper(during) AS end_at, plan::text AS plan, assignment::text AS assignment,
            substitution::text AS substitution, proposal::text AS proposal, quote::text AS quote, terms::text AS terms,
            explanation::text AS explanation, blockers::text AS blockers, next_what, next_at, priority, joined_at, attempts,
            was_claimed, pending_change::text AS pending_change, version, created_at, updated_at, ended_at""";

    private static final TypeReference<Map<String, String>> LABELS = new TypeReference<>() {};
    private static final TypeReference<List<Reservation.AssignedNode>> NODES = new TypeReference<>() {};
    private static final TypeReference<List<Rejection>> REJECTIONS = new TypeReference<>() {};
    private static final TypeReference<List<Reservation.Blocker>> BLOCKERS = new TypeReference<>() {};

    private final Database database;

    public PgReservationStore(Database database) {
        this.database = database;
    }

    private static final String READ =
            "-- reservation.read\nSELECT " + COLUMNS + " FROM reservation WHERE reservation_id = $1";

    @Override
    public Future<Optional<Reservation>> read(String id) {
        return one(database.pool(), READ, id);
    }

    @Override
    public Future<Optional<Reservation>> lock(SqlConnection connection, String id) {
        return one(connection, READ + " FOR UPDATE", id);
    }

    private static Future<Optional<Reservation>> one(SqlClient client, String sql, String id) {
        return client.preparedQuery(sql)
                .execute(Tuple.of(id))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(reservation(rows.iterator().next())));
    }

    private static final String INSERT = """
            -- reservation.insert
            INSERT INTO reservation (reservation_id, team_id, owner, title, labels, state, ending, health, request, model,
                gpu_count, during, plan, assignment, substitution, proposal, quote, terms, explanation, blockers, next_what,
                next_at, priority, joined_at, attempts, was_claimed, version, created_at, updated_at, ended_at, pending_change)
            VALUES ($1, $2, $3, $4, $5::text::jsonb, $6, $7, $8, $9::text::jsonb, $10, $11, tstzrange($12, $13),
                $14::text::jsonb, $15::text::jsonb, $16::text::jsonb, $17::text::jsonb, $18::text::jsonb, $19::text::jsonb,
                $20::text::jsonb, $21::text::jsonb, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32::text::jsonb)""";

    @Override
    public Future<Void> insert(SqlConnection connection, Reservation r, String who, Why why) {
        return Future.all(
                        connection.preparedQuery(INSERT).execute(columns(r)),
                        event(connection, r, "created", null, r, who, why))
                .mapEmpty();
    }

    private static final String UPDATE = """
            -- reservation.update
            UPDATE reservation SET title = $4, labels = $5::text::jsonb, state = $6, ending = $7, health = $8,
                request = $9::text::jsonb, model = $10, gpu_count = $11, during = tstzrange($12, $13), plan = $14::text::jsonb,
                assignment = $15::text::jsonb, substitution = $16::text::jsonb, proposal = $17::text::jsonb,
                quote = $18::text::jsonb, terms = $19::text::jsonb, explanation = $20::text::jsonb,
                blockers = $21::text::jsonb, next_what = $22, next_at = $23, priority = $24, joined_at = $25, attempts = $26,
                was_claimed = $27, version = $28, created_at = $29, updated_at = $30, ended_at = $31,
                pending_change = $32::text::jsonb
             WHERE reservation_id = $1 AND team_id = $2 AND owner = $3 AND version = $28 - 1""";

    @Override
    public Future<Boolean> update(
            SqlConnection connection, Reservation before, Reservation after, String who, Why why) {
        return connection.preparedQuery(UPDATE).execute(columns(after)).compose(done -> {
            if (done.rowCount() == 0) {
                return Future.succeededFuture(false);
            }
            String what = before.state() == after.state() ? "changed" : "state_changed";
            return event(connection, after, what, before, after, who, why).map(true);
        });
    }

    private static Tuple columns(Reservation r) {
        return Tuple.from(java.util.Arrays.asList(
                r.id(),
                r.team(),
                r.owner(),
                r.title(),
                write(r.labels()),
                r.state().wireName(),
                r.ending() == null ? null : r.ending().wireName(),
                r.health().stream().sorted().toArray(String[]::new),
                write(r.request()),
                r.request().gpu().model(),
                r.request().gpu().count(),
                PgTime.of(r.window().start()),
                PgTime.of(r.window().end()),
                writeOrNull(r.plan()),
                write(r.nodes()),
                writeOrNull(r.standIn()),
                writeOrNull(r.proposal()),
                writeOrNull(r.quote()),
                write(r.terms()),
                write(r.explanation()),
                write(r.blockers()),
                r.next() == null ? null : r.next().what(),
                r.next() == null ? null : PgTime.of(r.next().at()),
                r.priority(),
                PgTime.ofNullable(r.joinedAt()),
                r.attempts(),
                r.wasClaimed(),
                r.version(),
                PgTime.of(r.createdAt()),
                PgTime.of(r.updatedAt()),
                PgTime.ofNullable(r.endedAt()),
                writeOrNull(r.pending())));
    }

    private static final String EVENT = """
            -- reservation.event
            INSERT INTO reservation_event (reservation_id, team_id, at, who, what, before, after, why, why_zh)
            VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7::text::jsonb, $8, $9)""";

    private static Future<Void> event(
            SqlConnection connection,
            Reservation r,
            String what,
            @Nullable Reservation before,
            Reservation after,
            String who,
            Why why) {
        Tuple values = Tuple.from(java.util.Arrays.asList(
                r.id(),
                r.team(),
                PgTime.of(after.updatedAt()),
                who,
                what,
                before == null ? null : write(Changes.of(before, after)),
                write(before == null ? Changes.all(after) : Changes.of(after, before)),
                why.english(),
                why.chinese()));
        return connection.preparedQuery(EVENT).execute(values).mapEmpty();
    }

    private static final String NOTED = """
            -- reservation.noted
            SELECT 1 FROM reservation_event WHERE reservation_id = $1 AND what = $2 AND after @> $3::text::jsonb LIMIT 1""";

    @Override
    public Future<Boolean> noteOnce(
            SqlConnection connection,
            Reservation r,
            String what,
            Map<String, Object> which,
            Map<String, Object> more,
            Why why,
            Instant now) {
        Map<String, Object> shown = new TreeMap<>(which);
        shown.putAll(more);
        Tuple values = Tuple.from(java.util.Arrays.asList(
                r.id(),
                r.team(),
                PgTime.of(now),
                Transition.WHO,
                what,
                null,
                write(shown),
                why.english(),
                why.chinese()));
        return connection
                .preparedQuery(NOTED)
                .execute(Tuple.of(r.id(), what, write(which)))
                .compose(there -> there.size() > 0
                        ? Future.succeededFuture(false)
                        : connection.preparedQuery(EVENT).execute(values).map(true));
    }

    @Override
    public Future<List<JsonNode>> noted(String reservationId, String what, Map<String, Object> which) {
        return database.pool()
                .preparedQuery("""
                        -- reservation.notes
                        SELECT after::text AS after FROM reservation_event
                         WHERE reservation_id = $1 AND what = $2 AND after @> $3::text::jsonb ORDER BY event_id""")
                .execute(Tuple.of(reservationId, what, write(which)))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> StoredJson.read(row.getString("after"), JsonNode.class))
                        .toList());
    }

    private static final String LIST = "-- reservation.list\nSELECT " + COLUMNS + """
               FROM reservation
              WHERE ($1::text IS NULL OR team_id = $1)
                AND (cardinality($2::text[]) = 0 OR state = ANY ($2))
                AND ($3::text IS NULL OR model = $3 OR substitution->'standIn'->>'to' = $3)
                AND during && tstzrange($4, $5)
                AND ($6::timestamptz IS NULL OR (created_at, reservation_id) < ($6, $7))
              ORDER BY created_at DESC, reservation_id DESC
              LIMIT $8""";

    @Override
    public Future<List<Reservation>> list(Filter filter) {
        Tuple values = Tuple.from(java.util.Arrays.asList(
                filter.team(),
                filter.states().stream().map(ReservationState::wireName).toArray(String[]::new),
                filter.model(),
                PgTime.ofNullable(filter.from()),
                PgTime.ofNullable(filter.to()),
                PgTime.ofNullable(filter.beforeAt()),
                filter.beforeId(),
                filter.limit()));
        return database.pool().preparedQuery(LIST).execute(values).map(PgReservationStore::reservations);
    }

    private static final String EVENTS = """
            -- reservation.events
            SELECT event_id, reservation_id, at, who, what, before::text AS before, after::text AS after, why, why_zh
              FROM reservation_event WHERE reservation_id = $1 AND event_id > $2 ORDER BY event_id LIMIT $3""";

    @Override
    public Future<List<Event>> events(String reservationId, long after, int limit) {
        return database.pool()
                .preparedQuery(EVENTS)
                .execute(Tuple.of(reservationId, after, limit))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> new Event(
                                row.getLong("event_id"),
                                row.getString("reservation_id"),
                                PgTime.read(row, "at"),
                                row.getString("who"),
                                row.getString("what"),
                                row.getString("before"),
                                row.getString("after"),
                                row.getString("why"),
                                row.getString("why_zh")))
                        .toList());
    }

    private static final String POSITION = """
            -- reservation.position
            SELECT count(*) + 1 AS position FROM reservation
             WHERE state IN ('queued', 'offered') AND model = $1
               AND (priority > $2 OR (priority = $2 AND (joined_at, reservation_id) < ($3, $4)))""";

    @Override
    public Future<Integer> position(Reservation r) {
        Instant joined = r.joinedAt() == null ? r.createdAt() : r.joinedAt();
        return database.pool()
                .preparedQuery(POSITION)
                .execute(Tuple.of(r.request().gpu().model(), r.priority(), PgTime.of(joined), r.id()))
                .map(rows -> rows.iterator().next().getLong("position").intValue());
    }

    private static final String WAITING = "-- reservation.waiting\nSELECT " + COLUMNS + """
               FROM reservation WHERE state IN ('queued', 'offered')
              ORDER BY priority DESC, joined_at, reservation_id LIMIT $1""";

    @Override
    public Future<List<Reservation>> waiting(int limit) {
        return database.pool().preparedQuery(WAITING).execute(Tuple.of(limit)).map(PgReservationStore::reservations);
    }

    private static final String DISPLACED = """
            state IN ('confirmed', 'provisioning') AND 'blocked' = ANY (health)
               AND blockers @> '[{"what": "outage"}]'
            """;

    private static final String WAITING_IN =
            "-- reservation.waiting_in\n(SELECT " + COLUMNS + """
               FROM reservation
              WHERE team_id = $1 AND during && tstzrange($2, $3) AND""" + " " + DISPLACED + """
              ORDER BY reservation_id LIMIT 100)
            UNION ALL
            (SELECT""" + " " + COLUMNS + """
               FROM reservation
              WHERE state IN ('queued', 'offered') AND team_id = $1 AND during && tstzrange($2, $3)
              ORDER BY priority DESC, joined_at, reservation_id LIMIT 200)""";

    @Override
    public Future<List<Reservation>> waitingIn(String team, Window window) {
        return database.pool()
                .preparedQuery(WAITING_IN)
                .execute(Tuple.of(team, PgTime.of(window.start()), PgTime.of(window.end())))
                .map(PgReservationStore::reservations);
    }

    @Override
    public Future<List<Reservation>> displaced() {
        return database.pool()
                .preparedQuery("-- reservation.displaced\nSELECT " + COLUMNS + " FROM reservation WHERE " + DISPLACED
                        + " ORDER BY reservation_id")
                .execute()
                .map(PgReservationStore::reservations);
    }

    private static final String RUNS_SINCE = """
            -- reservation.runs_since
            SELECT min(at) AS at FROM reservation_event WHERE reservation_id = $1 AND after->>'state' = 'active'""";

    @Override
    public Future<Instant> runsSince(String id) {
        return database.pool()
                .preparedQuery(RUNS_SINCE)
                .execute(Tuple.of(id))
                .map(rows -> PgTime.read(rows.iterator().next(), "at"));
    }

    @Override
    public Future<Integer> passes(String id) {
        return database.pool()
                .preparedQuery("-- reservation.passes\nSELECT passes FROM reservation WHERE reservation_id = $1")
                .execute(Tuple.of(id))
                .map(rows -> rows.size() == 0 ? 0 : rows.iterator().next().getInteger("passes"));
    }

    @Override
    public Future<Void> passed(List<String> ids) {
        if (ids.isEmpty()) {
            return Future.succeededFuture();
        }
        return database.pool()
                .preparedQuery(
                        "-- reservation.passed\nUPDATE reservation SET passes = passes + 1 WHERE reservation_id = ANY ($1)")
                .execute(Tuple.tuple().addArrayOfString(ids.toArray(String[]::new)))
                .mapEmpty();
    }

    private static final String COUNTS = """
            -- reservation.counts
            SELECT state, count(*) AS n FROM reservation WHERE $1::text IS NULL OR team_id = $1 GROUP BY state""";

    @Override
    public Future<Map<ReservationState, Long>> counts(@Nullable String team) {
        return database.pool()
                .preparedQuery(COUNTS)
                .execute(Tuple.tuple().addString(team))
                .map(rows -> {
                    Map<ReservationState, Long> counts = new EnumMap<>(ReservationState.class);
                    rows.forEach(
                            row -> counts.put(ReservationState.ofWireName(row.getString("state")), row.getLong("n")));
                    return counts;
                });
    }

    private static List<Reservation> reservations(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(PgReservationStore::reservation)
                .toList();
    }

    private static Reservation reservation(Row row) {
        String ending = row.getString("ending");
        String assignment = row.getString("assignment");
        String nextWhat = row.getString("next_what");
        return new Reservation(
                row.getString("reservation_id"),
                row.getString("team_id"),
                row.getString("owner"),
                row.getString("title"),
                StoredJson.read(row.getString("labels"), LABELS),
                ReservationState.ofWireName(row.getString("state")),
                ending == null ? null : ReservationState.ofWireName(ending),
                Set.of(row.getArrayOfStrings("health")),
                StoredJson.read(row.getString("request"), BookingRequest.class),
                new Window(PgTime.read(row, "start_at"), PgTime.read(row, "end_at")),
                readOrNull(row.getString("plan"), Plan.class),
                assignment == null ? List.of() : StoredJson.read(assignment, NODES),
                readOrNull(row.getString("substitution"), Reservation.Substituted.class),
                readOrNull(row.getString("proposal"), Reservation.Proposal.class),
                readOrNull(row.getString("quote"), Reservation.AgreedQuote.class),
                StoredJson.read(row.getString("terms"), Terms.class),
                StoredJson.read(row.getString("explanation"), REJECTIONS),
                StoredJson.read(row.getString("blockers"), BLOCKERS),
                nextWhat == null ? null : new Reservation.NextAction(nextWhat, PgTime.read(row, "next_at")),
                readOrNull(row.getString("pending_change"), Reservation.PendingChange.class),
                row.getInteger("priority"),
                PgTime.readNullable(row, "joined_at"),
                row.getInteger("attempts"),
                row.getBoolean("was_claimed"),
                row.getLong("version"),
                PgTime.read(row, "created_at"),
                PgTime.read(row, "updated_at"),
                PgTime.readNullable(row, "ended_at"));
    }
}
