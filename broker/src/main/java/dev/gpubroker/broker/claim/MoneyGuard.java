package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The last look before money is spent, in the transaction that marks a claim as sent: the switch for all buying, the
 * account's purchase mode, and its caps, which bind the admin too. The account's row is locked, so parallel claims count
 * each other.
 */
public final class MoneyGuard {
    /** Why nothing may be bought. */
    public record No(Reason reason, String detail) {}

    private static final String LOOK = """
            -- claim.guard
            SELECT a.purchases, a.currency, a.per_booking, a.per_day, a.per_month, a.open_claims, a.stopped_why,
                   (SELECT paused FROM purchase_switch) AS paused
              FROM account a WHERE a.account_id = $1 FOR UPDATE OF a""";

    private static final String SPENT = """
            -- claim.spent
            SELECT coalesce(sum(amount) FILTER (WHERE intended_at >= $3), 0) AS today,
                   coalesce(sum(amount) FILTER (WHERE intended_at >= $4), 0) AS month,
                   coalesce(sum(amount) FILTER (WHERE reservation_id = $5 AND state <> 'released'), 0) AS booking,
                   count(*) FILTER (WHERE state IN ('intended', 'accepted', 'claimed', 'unknown', 'releasing')) AS open
              FROM claim
             WHERE account_id = $1 AND claim_key <> $2 AND arrives_by IS NOT NULL AND state NOT IN ('refused', 'absent')""";

    /** Empty when the claim may be sent. */
    public Future<Optional<No>> look(SqlConnection connection, Claim claim, Instant now) {
        return connection.preparedQuery(LOOK).execute(Tuple.of(claim.account())).compose(rows -> {
            if (rows.size() == 0) {
                return no(Reason.PURCHASES_OFF, "account " + claim.account() + " is not there any more");
            }
            Row account = rows.iterator().next();
            if (account.getBoolean("paused")) {
                return no(Reason.PURCHASES_OFF, "all buying is paused");
            }
            if (account.getString("stopped_why") != null) {
                return no(
                        Reason.PURCHASES_OFF,
                        "account " + claim.account() + " is stopped: " + account.getString("stopped_why"));
            }
            if (!account.getString("purchases").equals("auto")) {
                return no(
                        Reason.PURCHASES_OFF,
                        "account " + claim.account() + " is set to '" + account.getString("purchases") + "'");
            }
            return spent(connection, claim, now).map(spent -> caps(account, spent, claim));
        });
    }

    private static Future<Optional<No>> no(Reason reason, String detail) {
        return Future.succeededFuture(Optional.of(new No(reason, detail)));
    }

    private static Future<Row> spent(SqlConnection connection, Claim claim, Instant now) {
        ZonedDateTime day = now.atZone(ZoneOffset.UTC).truncatedTo(ChronoUnit.DAYS);
        return connection
                .preparedQuery(SPENT)
                .execute(Tuple.of(
                        claim.account(),
                        claim.key().text(),
                        PgTime.of(day.toInstant()),
                        PgTime.of(day.withDayOfMonth(1).toInstant()),
                        claim.reservationId()))
                .map(rows -> rows.iterator().next());
    }

    private static Optional<No> caps(Row account, Row spent, Claim claim) {
        BigDecimal amount = claim.amount().amount();
        return over(account, "per_booking", number(spent, "booking").add(amount), claim)
                .or(() -> over(account, "per_day", number(spent, "today").add(amount), claim))
                .or(() -> over(account, "per_month", number(spent, "month").add(amount), claim))
                .or(() -> {
                    Integer most = account.getInteger("open_claims");
                    return most != null && spent.getLong("open") >= most
                            ? Optional.of(new No(
                                    Reason.TOO_EXPENSIVE,
                                    "account " + claim.account() + " has " + most + " open claims, its limit"))
                            : Optional.empty();
                });
    }

    private static Optional<No> over(Row account, String cap, BigDecimal total, Claim claim) {
        if (account.getValue(cap) == null || total.compareTo(number(account, cap)) <= 0) {
            return Optional.empty();
        }
        return Optional.of(new No(
                Reason.TOO_EXPENSIVE,
                total.toPlainString() + " " + claim.amount().currency() + " would pass the limit "
                        + cap.replace('_', ' ') + " of account " + claim.account()));
    }

    private static BigDecimal number(Row row, String column) {
        return row.getNumeric(column).bigDecimalValue();
    }
}
