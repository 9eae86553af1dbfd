package dev.gpubroker.broker.platform;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.config.Caps;
import dev.gpubroker.broker.config.Purchases;
import dev.gpubroker.broker.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import io.vertx.sqlclient.data.Numeric;
import java.util.ArrayList;
import java.util.Currency;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Accounts in table {@code account}. */
final class PgAccountStore implements AccountStore {
    private static final String SAVE = """
            -- account.save
            INSERT INTO account (account_id, platform, simulated, currency, purchases,
                                 per_booking, per_day, per_month, open_claims)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (account_id) DO UPDATE
               SET currency = excluded.currency, purchases = excluded.purchases, per_booking = excluded.per_booking,
                   per_day = excluded.per_day, per_month = excluded.per_month, open_claims = excluded.open_claims
             WHERE account.platform = excluded.platform AND account.simulated = excluded.simulated
            """;

    private static final String STANDINGS = """
            -- account.standings
            SELECT account_id, currency, purchases, per_booking, per_day, per_month, open_claims, stopped_why FROM account
            """;

    private static final String OPEN = """
            -- account.open_claims
            SELECT DISTINCT account_id FROM claim
             WHERE state IN ('intended', 'accepted', 'claimed', 'unknown', 'releasing')
             ORDER BY account_id
            """;

    private final Database database;

    PgAccountStore(Database database) {
        this.database = database;
    }

    @Override
    public Future<List<String>> save(List<Entry> entries) {
        return database.inTransaction(connection -> saveAll(connection, entries))
                .map(List.<String>of())
                .recover(fault -> fault instanceof Mismatch mismatch
                        ? Future.succeededFuture(mismatch.ids)
                        : Future.failedFuture(fault));
    }

    /** Rolls the transaction back. */
    private static final class Mismatch extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient List<String> ids;

        Mismatch(List<String> ids) {
            super(ids.toString(), null, false, false);
            this.ids = ids;
        }
    }

    /** One after the other in the order of ids, so that brokers that start together cannot block each other for good. */
    private static Future<Void> saveAll(SqlConnection connection, List<Entry> entries) {
        List<String> mismatched = new ArrayList<>();
        Future<Void> done = Future.succeededFuture();
        for (Entry entry : entries) {
            done = done.compose(before -> connection.preparedQuery(SAVE).execute(tuple(entry)))
                    .map(written -> {
                        if (written.rowCount() == 0) {
                            mismatched.add(entry.id());
                        }
                        return null;
                    });
        }
        return done.compose(saved ->
                mismatched.isEmpty() ? Future.succeededFuture() : Future.failedFuture(new Mismatch(mismatched)));
    }

    private static Tuple tuple(Entry entry) {
        Caps caps = entry.caps();
        return Tuple.tuple()
                .addString(entry.id())
                .addString(entry.platform())
                .addBoolean(entry.simulated())
                .addString(entry.currency())
                .addString(entry.purchases().name().toLowerCase(Locale.ROOT))
                .addValue(numeric(caps.perBooking()))
                .addValue(numeric(caps.perDay()))
                .addValue(numeric(caps.perMonth()))
                .addInteger(caps.openClaims());
    }

    private static @Nullable Numeric numeric(@Nullable Money money) {
        return money == null ? null : Numeric.create(money.amount());
    }

    @Override
    public Future<Map<String, Standing>> standings() {
        return database.pool().preparedQuery(STANDINGS).execute().map(PgAccountStore::read);
    }

    private static Map<String, Standing> read(RowSet<Row> rows) {
        Map<String, Standing> standings = new HashMap<>();
        for (Row row : rows) {
            Currency currency = Currency.getInstance(row.getString("currency"));
            Caps caps = new Caps(
                    money(row, "per_booking", currency),
                    money(row, "per_day", currency),
                    money(row, "per_month", currency),
                    row.getInteger("open_claims"));
            Purchases purchases = Purchases.valueOf(row.getString("purchases").toUpperCase(Locale.ROOT));
            standings.put(row.getString("account_id"), new Standing(purchases, caps, row.getString("stopped_why")));
        }
        return standings;
    }

    private static @Nullable Money money(Row row, String column, Currency currency) {
        return row.getValue(column) == null
                ? null
                : new Money(row.getNumeric(column).bigDecimalValue(), currency);
    }

    @Override
    public Future<List<String>> withOpenClaims() {
        return database.pool().preparedQuery(OPEN).execute().map(rows -> {
            List<String> ids = new ArrayList<>();
            rows.forEach(row -> ids.add(row.getString("account_id")));
            return ids;
        });
    }
}
