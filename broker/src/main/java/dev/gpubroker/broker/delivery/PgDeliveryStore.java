package dev.gpubroker.broker.delivery;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.delivery.Delivery.State;
import dev.gpubroker.broker.outbox.Message;
import dev.gpubroker.broker.stored.Ids;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Deliveries in PostgreSQL. */
public final class PgDeliveryStore implements DeliveryStore {
    private static final String COLUMNS = """
            d.delivery_id, d.kind, d.lane, d.outbox_id, o.topic, d.subject, d.state, d.tries, d.step, d.in_doubt,
            d.next_at_wall, d.created_at_wall, d.ended_at_wall, d.status, d.why, d.excerpt""";

    private final Database database;

    public PgDeliveryStore(Database database) {
        this.database = database;
    }

    private static final String ADD = """
            -- delivery.add
            INSERT INTO delivery (delivery_id, kind, lane, outbox_id, subject, state, next_at_wall, created_at_wall)
            SELECT given.delivery_id, $1, given.lane, $2, $3, 'waiting', $4, $4
              FROM unnest($5::text[], $6::text[]) AS given (delivery_id, lane)
            ON CONFLICT DO NOTHING""";

    @Override
    public Future<Void> add(Message message, String kind, List<String> lanes, Instant now) {
        if (lanes.isEmpty()) {
            return Future.succeededFuture();
        }
        String[] ids = lanes.stream().map(lane -> Ids.next("dlv", now)).toArray(String[]::new);
        return database.pool()
                .preparedQuery(ADD)
                .execute(Tuple.tuple()
                        .addString(kind)
                        .addLong(message.id())
                        .addString(message.subject())
                        .addOffsetDateTime(PgTime.of(now))
                        .addArrayOfString(ids)
                        .addArrayOfString(lanes.toArray(String[]::new)))
                .mapEmpty();
    }

    private static final String DUE = """
            -- delivery.due
            SELECT DISTINCT lane FROM delivery
             WHERE state = 'waiting' AND next_at_wall <= $1 AND NOT lane = ANY ($2) LIMIT $3""";

    @Override
    public Future<List<String>> due(Set<String> but, int limit, Instant now) {
        return database.pool()
                .preparedQuery(DUE)
                .execute(Tuple.tuple()
                        .addOffsetDateTime(PgTime.of(now))
                        .addArrayOfString(but.toArray(String[]::new))
                        .addInteger(limit))
                .map(rows -> stream(rows).map(row -> row.getString("lane")).toList());
    }

    private static final String TAKE = """
            -- delivery.take
            UPDATE delivery d SET tries = d.tries + 1, next_at_wall = $3, in_doubt = true
              FROM outbox o, (
                   SELECT delivery_id, in_doubt AS was_in_doubt FROM delivery
                    WHERE lane = $1 AND state = 'waiting' AND next_at_wall <= $2
                    ORDER BY outbox_id LIMIT $4 FOR UPDATE SKIP LOCKED) due
             WHERE o.outbox_id = d.outbox_id AND d.delivery_id = due.delivery_id
            RETURNING\s""" + COLUMNS + """
            , due.was_in_doubt, o.team_id, o.body::text AS body, o.created_at, o.tries AS message_tries""";

    @Override
    public Future<List<Taken>> take(String lane, int limit, Instant now, Instant heldUntil) {
        return database.pool()
                .preparedQuery(TAKE)
                .execute(Tuple.of(lane, PgTime.of(now), PgTime.of(heldUntil), limit))
                .map(rows -> stream(rows)
                        .map(row -> new Taken(delivery(row, row.getBoolean("was_in_doubt")), message(row)))
                        .sorted(java.util.Comparator.comparing(
                                taken -> taken.message().id()))
                        .toList());
    }

    private static final String SETTLE = """
            -- delivery.settle
            UPDATE delivery SET state = $3, step = $4, next_at_wall = $5, status = $6, why = $7, excerpt = $8, in_doubt = $10,
                   ended_at_wall = CASE WHEN $5::timestamptz IS NULL THEN $9::timestamptz END
             WHERE delivery_id = $1 AND tries = $2 AND state = 'waiting'""";

    @Override
    public Future<Void> settle(
            Delivery tried, State state, int step, @Nullable Instant nextAt, Outcome outcome, Instant now) {
        return database.pool()
                .preparedQuery(SETTLE)
                .execute(Tuple.from(Arrays.asList(
                        tried.id(),
                        tried.tries(),
                        state.wireName(),
                        step,
                        PgTime.ofNullable(nextAt),
                        outcome.status(),
                        outcome.why(),
                        outcome.excerpt(),
                        PgTime.of(now),
                        outcome.inDoubt())))
                .mapEmpty();
    }

    private static final String ARRIVED = """
            -- delivery.arrived
            SELECT EXISTS (SELECT 1 FROM delivery WHERE lane = $1 AND state = 'delivered' AND ended_at_wall >= $2) AS arrived""";

    @Override
    public Future<Boolean> arrivedSince(String lane, Instant since) {
        return database.pool()
                .preparedQuery(ARRIVED)
                .execute(Tuple.of(lane, PgTime.of(since)))
                .map(rows -> rows.iterator().next().getBoolean("arrived"));
    }

    private static final String POSTPONE = """
            -- delivery.postpone
            UPDATE delivery SET next_at_wall = $2
             WHERE delivery_id IN (
                   SELECT delivery_id FROM delivery WHERE lane = $1 AND state = 'waiting' AND next_at_wall < $2
                    ORDER BY delivery_id FOR UPDATE)""";

    @Override
    public Future<Void> postpone(String lane, Instant until) {
        return database.pool()
                .preparedQuery(POSTPONE)
                .execute(Tuple.of(lane, PgTime.of(until)))
                .mapEmpty();
    }

    private static final String FAIL = """
            -- delivery.fail
            UPDATE delivery SET state = 'failed', next_at_wall = NULL, ended_at_wall = $3, why = $2
             WHERE lane = $1 AND state = 'waiting'""";

    @Override
    public Future<Void> fail(SqlConnection connection, String lane, String why, Instant now) {
        return connection
                .preparedQuery(FAIL)
                .execute(Tuple.of(lane, why, PgTime.of(now)))
                .mapEmpty();
    }

    private static final String DELETE = """
            -- delivery.delete
            DELETE FROM delivery WHERE lane = $1""";

    @Override
    public Future<Void> delete(SqlConnection connection, String lane) {
        return connection.preparedQuery(DELETE).execute(Tuple.of(lane)).mapEmpty();
    }

    private static final String AGAIN = """
            -- delivery.again
            UPDATE delivery d SET state = 'waiting', step = 0, next_at_wall = $3, ended_at_wall = NULL
              FROM outbox o
             WHERE o.outbox_id = d.outbox_id AND d.lane = $1 AND d.delivery_id = $2
            RETURNING\s""" + COLUMNS;

    @Override
    public Future<Optional<Delivery>> again(SqlConnection connection, String lane, String id, Instant now) {
        return connection
                .preparedQuery(AGAIN)
                .execute(Tuple.of(lane, id, PgTime.of(now)))
                .map(rows -> stream(rows).map(PgDeliveryStore::delivery).findFirst());
    }

    private static final String LIST = "-- delivery.list\nSELECT " + COLUMNS + """

              FROM delivery d JOIN outbox o ON o.outbox_id = d.outbox_id
             WHERE d.lane = $1 AND ($2::text IS NULL OR d.state = $2)
               AND ($3::timestamptz IS NULL OR (d.created_at_wall, d.delivery_id) < ($3, $4))
             ORDER BY d.created_at_wall DESC, d.delivery_id DESC LIMIT $5""";

    @Override
    public Future<List<Delivery>> list(
            String lane, @Nullable State state, @Nullable Instant before, @Nullable String beforeId, int limit) {
        return database.pool()
                .preparedQuery(LIST)
                .execute(Tuple.from(Arrays.asList(
                        lane, state == null ? null : state.wireName(), PgTime.ofNullable(before), beforeId, limit)))
                .map(rows -> stream(rows).map(PgDeliveryStore::delivery).toList());
    }

    private static final String CLEAN_DELIVERIES = """
            -- delivery.clean
            DELETE FROM delivery WHERE state <> 'waiting' AND ended_at_wall < $1""";

    private static final String CLEAN_MESSAGES = """
            -- delivery.clean_messages
            DELETE FROM outbox o
             WHERE delivered_at < $1 AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.outbox_id = o.outbox_id)""";

    @Override
    public Future<Void> clean(Instant before) {
        Tuple values = Tuple.of(PgTime.of(before));
        return database.pool()
                .preparedQuery(CLEAN_DELIVERIES)
                .execute(values)
                .compose(done -> database.pool().preparedQuery(CLEAN_MESSAGES).execute(values))
                .mapEmpty();
    }

    private static Delivery delivery(Row row) {
        return delivery(row, row.getBoolean("in_doubt"));
    }

    private static Delivery delivery(Row row, boolean inDoubt) {
        return new Delivery(
                row.getString("delivery_id"),
                row.getString("kind"),
                row.getString("lane"),
                row.getLong("outbox_id"),
                row.getString("topic"),
                row.getString("subject"),
                State.ofWireName(row.getString("state")),
                row.getInteger("tries"),
                row.getInteger("step"),
                inDoubt,
                PgTime.readNullable(row, "next_at_wall"),
                PgTime.read(row, "created_at_wall"),
                PgTime.readNullable(row, "ended_at_wall"),
                row.getInteger("status"),
                row.getString("why"),
                row.getString("excerpt"));
    }

    private static Message message(Row row) {
        return new Message(
                row.getLong("outbox_id"),
                row.getString("team_id"),
                row.getString("topic"),
                StoredJson.read(row.getString("body"), JsonNode.class),
                PgTime.read(row, "created_at"),
                row.getInteger("message_tries"));
    }

    private static Stream<Row> stream(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false);
    }
}
