package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Currency;
import java.util.Optional;

/** What cancelling was said to cost. */
final class CancellationStore {
    /** @param attempt of the reservation when it was made: another purchase needs another quote */
    record Quote(
            String id,
            String reservationId,
            int attempt,
            Money fee,
            Money refund,
            Instant expiresAt,
            Instant createdAt) {}

    private final Database database;

    CancellationStore(Database database) {
        this.database = database;
    }

    Future<Void> insert(Quote quote) {
        return database.pool()
                .preparedQuery("""
                        -- cancellation_quote.insert
                        INSERT INTO cancellation_quote (quote_id, reservation_id, attempt, fee, refund, currency, expires_at, created_at)
                        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)""")
                .execute(Tuple.of(
                        quote.id(),
                        quote.reservationId(),
                        quote.attempt(),
                        quote.fee().amount(),
                        quote.refund().amount(),
                        quote.fee().currency().getCurrencyCode(),
                        PgTime.of(quote.expiresAt()),
                        PgTime.of(quote.createdAt())))
                .mapEmpty();
    }

    Future<Optional<Quote>> read(String reservationId, String quoteId) {
        return database.pool()
                .preparedQuery("""
                        -- cancellation_quote.read
                        SELECT quote_id, reservation_id, attempt, fee, refund, currency, expires_at, created_at
                          FROM cancellation_quote WHERE quote_id = $1 AND reservation_id = $2""")
                .execute(Tuple.of(quoteId, reservationId))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(quote(rows.iterator().next())));
    }

    private static Quote quote(Row row) {
        Currency currency = Currency.getInstance(row.getString("currency"));
        return new Quote(
                row.getString("quote_id"),
                row.getString("reservation_id"),
                row.getInteger("attempt"),
                new Money(row.getNumeric("fee").bigDecimalValue(), currency),
                new Money(row.getNumeric("refund").bigDecimalValue(), currency),
                PgTime.read(row, "expires_at"),
                PgTime.read(row, "created_at"));
    }
}
