package dev.gpubroker.broker.claim;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.task.Tasks;
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
 * each other. Asked ahead of time with the same rules, it says what will be in the way.
 */
public final class MoneyGuard {
    /** A person's consent to what one reservation may spend; subject of its task is the reservation. */
    public static final String APPROVAL = "approve_purchase";

    public static final String APPROVED = "approve";

    private final Tasks tasks;

    public MoneyGuard(Tasks tasks) {
        this.tasks = tasks;
    }

    /** Leaves no claim out of what is spent. */
    private static final String NO_KEY = "";

    /** Why nothing may be bought. */
    public record No(Reason reason, String detail, String detailZh) {}

    /**
     * What is to be spent.
     *
     * @param key of a claim that is counted by its amount here, not by its row; empty before there is one
     * @param amount of it
     * @param most what the whole attempt may come to, for the person who is asked
     */
    public record Bid(String account, String reservationId, String key, Money amount, Money most) {}

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

    private static final String ATTEMPT = """
            -- claim.attempt_total
            SELECT sum(amount) AS total FROM claim WHERE reservation_id = $1 AND attempt = $2 AND account_id = $3""";

    /** Empty when the claim may be sent. */
    Future<Optional<No>> look(SqlConnection connection, Claim claim, Instant now) {
        return connection
                .preparedQuery(ATTEMPT)
                .execute(Tuple.of(claim.reservationId(), claim.attempt(), claim.account()))
                .map(rows -> number(rows.iterator().next(), "total"))
                .compose(total -> look(
                        connection,
                        new Bid(
                                claim.account(),
                                claim.reservationId(),
                                claim.key().text(),
                                claim.amount(),
                                new Money(total, claim.amount().currency())),
                        now));
    }

    /** The same for more time of what was bought: what it costs so far counts, and no claim is added. */
    public Future<Optional<No>> lookAgain(SqlConnection connection, Claim claim, Money more, Instant now) {
        return connection
                .preparedQuery(ATTEMPT)
                .execute(Tuple.of(claim.reservationId(), claim.attempt(), claim.account()))
                .map(rows -> new Money(
                                number(rows.iterator().next(), "total"),
                                claim.amount().currency())
                        .plus(more))
                .compose(total -> look(
                        connection,
                        new Bid(claim.account(), claim.reservationId(), NO_KEY, more, total),
                        now,
                        MoneyGuard::caps));
    }

    /** Empty when it could be spent now; asks a person where the account wants that. */
    public Future<Optional<No>> look(SqlConnection connection, Bid bid, Instant now) {
        return look(
                connection,
                bid,
                now,
                (account, spent, wanted) -> caps(account, spent, wanted).or(() -> tooMany(account, spent, wanted)));
    }

    /** What binds, of the limits that the account's row names. */
    @FunctionalInterface
    private interface Bounds {
        Optional<No> of(Row account, Row spent, Bid bid);
    }

    private Future<Optional<No>> look(SqlConnection connection, Bid bid, Instant now, Bounds bounds) {
        return connection.preparedQuery(LOOK).execute(Tuple.of(bid.account())).compose(rows -> {
            if (rows.size() == 0) {
                return no(
                        "account " + bid.account() + " is not in the settings any more",
                        "账户 " + bid.account() + " 已不在设置中");
            }
            Row account = rows.iterator().next();
            if (account.getBoolean("paused")) {
                return no(
                        "all buying is paused; 'gpu-broker resume' allows it again", "所有购买已暂停；用 gpu-broker resume 恢复");
            }
            if (account.getString("stopped_why") != null) {
                return no(
                        "account " + bid.account() + " is stopped until its task is answered: "
                                + account.getString("stopped_why"),
                        "账户 " + bid.account() + " 已停止，待相关任务答复");
            }
            if (account.getString("purchases").equals("observe")) {
                return no(
                        "account " + bid.account() + " only observes; set its purchases to approve or auto",
                        "账户 " + bid.account() + " 仅观察；请将 purchases 设为 approve 或 auto");
            }
            return spent(connection, bid, now)
                    .map(spent -> bounds.of(account, spent, bid))
                    .compose(
                            no -> no.isEmpty() && account.getString("purchases").equals("approve")
                                    ? approved(connection, bid, now)
                                    : Future.succeededFuture(no));
        });
    }

    private static Future<Optional<No>> no(String detail, String detailZh) {
        return Future.succeededFuture(Optional.of(new No(Reason.PURCHASES_OFF, detail, detailZh)));
    }

    private static final String APPROVALS = """
            -- claim.approvals
            SELECT answer, (facts->>'most')::numeric AS most, facts->>'currency' AS currency
              FROM task WHERE kind = $1 AND subject = $2""";

    private Future<Optional<No>> approved(SqlConnection connection, Bid bid, Instant now) {
        return connection
                .preparedQuery(APPROVALS)
                .execute(Tuple.of(APPROVAL, bid.reservationId()))
                .compose(rows -> {
                    for (Row row : rows) {
                        if (APPROVED.equals(row.getString("answer"))
                                && bid.most().currency().getCurrencyCode().equals(row.getString("currency"))
                                && bid.most().amount().compareTo(number(row, "most")) <= 0) {
                            return Future.succeededFuture(Optional.empty());
                        }
                    }
                    return tasks.open(connection, question(bid), now)
                            .compose(done -> no(
                                    "a person has to approve up to " + bid.most() + " on account " + bid.account(),
                                    "需要有人批准账户 " + bid.account() + " 支出至多 " + bid.most()));
                });
    }

    private static Tasks.Draft question(Bid bid) {
        ObjectNode facts = JsonNodeFactory.instance
                .objectNode()
                .put("account", bid.account())
                .put("most", bid.most().amount().toPlainString())
                .put("currency", bid.most().currency().getCurrencyCode());
        return new Tasks.Draft(
                APPROVAL,
                bid.reservationId(),
                bid.reservationId(),
                "Reservation " + bid.reservationId() + " is to be bought on account " + bid.account() + " for up to "
                        + bid.most() + ".",
                "预订 " + bid.reservationId() + " 将在账户 " + bid.account() + " 上购买，至多 " + bid.most() + "。",
                facts);
    }

    private static Future<Row> spent(SqlConnection connection, Bid bid, Instant now) {
        ZonedDateTime day = now.atZone(ZoneOffset.UTC).truncatedTo(ChronoUnit.DAYS);
        return connection
                .preparedQuery(SPENT)
                .execute(Tuple.of(
                        bid.account(),
                        bid.key(),
                        PgTime.of(day.toInstant()),
                        PgTime.of(day.withDayOfMonth(1).toInstant()),
                        bid.reservationId()))
                .map(rows -> rows.iterator().next());
    }

    private static Optional<No> caps(Row account, Row spent, Bid bid) {
        BigDecimal amount = bid.amount().amount();
        return over(account, "per_booking", number(spent, "booking").add(amount), bid)
                .or(() -> over(account, "per_day", number(spent, "today").add(amount), bid))
                .or(() -> over(account, "per_month", number(spent, "month").add(amount), bid));
    }

    private static Optional<No> tooMany(Row account, Row spent, Bid bid) {
        Integer most = account.getInteger("open_claims");
        return most != null && spent.getLong("open") >= most
                ? Optional.of(new No(
                        Reason.TOO_EXPENSIVE,
                        "account " + bid.account() + " has " + most + " open claims, its limit",
                        "账户 " + bid.account() + " 的在用订单已达上限 " + most))
                : Optional.empty();
    }

    private static Optional<No> over(Row account, String cap, BigDecimal total, Bid bid) {
        if (account.getValue(cap) == null || total.compareTo(number(account, cap)) <= 0) {
            return Optional.empty();
        }
        String sum = total.toPlainString() + " " + bid.amount().currency();
        return Optional.of(new No(
                Reason.TOO_EXPENSIVE,
                sum + " would pass the limit " + cap.replace('_', ' ') + " of account " + bid.account(),
                sum + " 将超过账户 " + bid.account() + " 的限额（" + cap + "）"));
    }

    private static BigDecimal number(Row row, String column) {
        return row.getNumeric(column).bigDecimalValue();
    }
}
