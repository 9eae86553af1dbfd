package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Quotes as they were given: immutable, until they expire. */
public final class QuoteStore {
    /** @param plan priced; what a booking with this quote takes */
    public record Quote(
            String id, String team, BookingRequest request, Plan plan, Instant expiresAt, Instant createdAt) {}

    private static final String INSERT = """
            -- quote.insert
            INSERT INTO quote (quote_id, team_id, request, plan, expires_at, created_at)
            VALUES ($1, $2, $3::text::jsonb, $4::text::jsonb, $5, $6)""";

    private final Database database;

    public QuoteStore(Database database) {
        this.database = database;
    }

    public Future<Void> insert(List<Quote> quotes) {
        if (quotes.isEmpty()) {
            return Future.succeededFuture();
        }
        List<Tuple> rows = quotes.stream()
                .map(quote -> Tuple.of(
                        quote.id(),
                        quote.team(),
                        StoredJson.write(quote.request()),
                        StoredJson.write(quote.plan()),
                        PgTime.of(quote.expiresAt()),
                        PgTime.of(quote.createdAt())))
                .toList();
        return database.pool().preparedQuery(INSERT).executeBatch(rows).mapEmpty();
    }

    public Future<Optional<Quote>> read(String team, String id) {
        return database.pool()
                .preparedQuery("""
                        -- quote.read
                        SELECT quote_id, team_id, request::text AS request, plan::text AS plan, expires_at, created_at
                          FROM quote WHERE team_id = $1 AND quote_id = $2""")
                .execute(Tuple.of(team, id))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(quote(rows.iterator().next())));
    }

    /** Deletes what expired before {@code before}; reservations keep their own copy. */
    public Future<Integer> expire(Instant before) {
        return database.pool()
                .preparedQuery("-- quote.expire\nDELETE FROM quote WHERE expires_at < $1")
                .execute(Tuple.of(PgTime.of(before)))
                .map(rows -> rows.rowCount());
    }

    private static Quote quote(Row row) {
        return new Quote(
                row.getString("quote_id"),
                row.getString("team_id"),
                StoredJson.read(row.getString("request"), BookingRequest.class),
                StoredJson.read(row.getString("plan"), Plan.class),
                PgTime.read(row, "expires_at"),
                PgTime.read(row, "created_at"));
    }
}
