package dev.gpubroker.broker.outbox;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands committed messages on at least once, oldest first, in batches that no other broker holds. What cannot be handed on is
 * tried again later and later, and is given up and logged after a day.
 */
public final class Relay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration HOLD = Duration.ofSeconds(60);
    private static final int BATCH = 50;
    /** Pauses double from 2 s: the last try is about a day after the first. */
    private static final int MOST_TRIES = 16;

    private final Vertx vertx;
    private final Database database;
    private final Function<Message, Future<Void>> deliver;
    private boolean busy;
    private long timer;

    /** @param deliver succeeds when a delivery to each receiver is written down */
    public Relay(Vertx vertx, Database database, Function<Message, Future<Void>> deliver) {
        this.vertx = vertx;
        this.database = database;
        this.deliver = deliver;
    }

    public void start() {
        timer = vertx.setPeriodic(LOOK_EVERY.toMillis(), tick -> look());
    }

    /** Looks no more; call it before the database is closed. What is under way is delivered again by the next broker. */
    @Override
    public void close() {
        vertx.cancelTimer(timer);
    }

    private void look() {
        if (busy) {
            return;
        }
        busy = true;
        drain().onComplete(done -> {
            busy = false;
            if (done.failed()) {
                LOG.warn("the outbox cannot be read; looked at again in a second", done.cause());
            }
        });
    }

    private static final String TAKE = """
            -- outbox.take
            UPDATE outbox SET next_at_wall = clock_timestamp() + $1 * interval '1 millisecond', tries = tries + 1
             WHERE outbox_id IN (
                   SELECT outbox_id FROM outbox
                    WHERE delivered_at IS NULL AND given_up_why IS NULL AND next_at_wall <= clock_timestamp()
                    ORDER BY outbox_id LIMIT $2 FOR UPDATE SKIP LOCKED)
            RETURNING outbox_id, team_id, topic, body::text AS body, created_at, tries""";

    /** Delivers until nothing is waiting. */
    public Future<Void> drain() {
        return database.pool()
                .preparedQuery(TAKE)
                .execute(Tuple.of(HOLD.toMillis(), BATCH))
                .compose(rows -> {
                    List<Message> batch = StreamSupport.stream(rows.spliterator(), false)
                            .map(Relay::message)
                            .sorted(java.util.Comparator.comparing(Message::id))
                            .toList();
                    Future<Void> all = Future.succeededFuture();
                    for (Message message : batch) {
                        all = all.compose(done -> one(message));
                    }
                    return all.compose(done -> batch.size() == BATCH ? drain() : Future.succeededFuture());
                });
    }

    private Future<Void> one(Message message) {
        return deliver.apply(message)
                .transform(result -> result.succeeded() ? delivered(message) : later(message, result.cause()));
    }

    private Future<Void> delivered(Message message) {
        return database.pool()
                .preparedQuery(
                        "-- outbox.delivered\nUPDATE outbox SET delivered_at = clock_timestamp() WHERE outbox_id = $1")
                .execute(Tuple.of(message.id()))
                .mapEmpty();
    }

    private Future<Void> later(Message message, Throwable fault) {
        boolean over = message.tries() >= MOST_TRIES;
        LOG.warn(
                "message {} ({}) did not arrive, try {}{}: {}",
                message.id(),
                message.topic(),
                message.tries(),
                over ? ", given up" : "",
                fault.getMessage());
        long pause =
                Duration.ofSeconds(1L << Math.min(message.tries(), MOST_TRIES)).toMillis();
        return database.pool()
                .preparedQuery("""
                        -- outbox.later
                        UPDATE outbox SET next_at_wall = clock_timestamp() + $2 * interval '1 millisecond', given_up_why = $3
                         WHERE outbox_id = $1""")
                .execute(Tuple.of(message.id(), pause, over ? String.valueOf(fault.getMessage()) : null))
                .mapEmpty();
    }

    private static Message message(Row row) {
        return new Message(
                row.getLong("outbox_id"),
                row.getString("team_id"),
                row.getString("topic"),
                StoredJson.read(row.getString("body"), JsonNode.class),
                PgTime.read(row, "created_at"),
                row.getInteger("tries"));
    }
}
