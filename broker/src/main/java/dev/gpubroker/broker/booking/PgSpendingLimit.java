package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.SpendingCap;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.math.BigDecimal;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts bookings against caps in PostgreSQL. What counts is the most that may be bought for a reservation, its
 * {@code maxTotal} or else the broker's own cap, so that nothing that happens later costs more than was counted.
 */
final class PgSpendingLimit implements SpendingLimit {
    private static final String LOCK = """
            -- spending.lock
            SELECT t.token_id AS grantee FROM api_token t WHERE t.token_id = $1 AND t.revoked_at IS NULL FOR NO KEY UPDATE""";

    private static final String LOCK_RULE = """
            -- spending.lock_rule
            SELECT r.rule_id AS grantee FROM trust_rule r WHERE r.rule_id = $1 FOR NO KEY UPDATE""";

    private static final String SUMS = """
            -- spending.sums
            SELECT coalesce(sum(amount) FILTER (WHERE reservation_id = $2), 0) AS charged,
                   coalesce(sum(amount) FILTER (WHERE day = $3), 0) AS today
              FROM grant_spending
             WHERE grantee = $1 AND (reservation_id = $2 OR day = $3)""";

    private static final String ADD = """
            -- spending.add
            INSERT INTO grant_spending (grantee, reservation_id, day, amount) VALUES ($1, $2, $3, $4)
            ON CONFLICT (grantee, reservation_id, day) DO UPDATE SET amount = grant_spending.amount + EXCLUDED.amount""";

    private final Caps caps;
    private final InstantSource clock;

    PgSpendingLimit(Caps caps, InstantSource clock) {
        this.caps = caps;
        this.clock = clock;
    }

    @Override
    public Future<Void> lock(SqlConnection connection, Caller caller) {
        SpendingCap cap = caller.grants().cap();
        if (cap == null) {
            return Future.succeededFuture();
        }
        String grantee = cap.grantee();
        return connection
                .preparedQuery(LOCK)
                .execute(Tuple.of(grantee))
                .compose(token -> token.size() == 1
                        ? Future.succeededFuture(token)
                        : connection.preparedQuery(LOCK_RULE).execute(Tuple.of(grantee)))
                .compose(found -> found.size() == 1 ? Future.succeededFuture() : Future.failedFuture(revoked()));
    }

    @Override
    public Future<Void> charge(SqlConnection connection, Caller caller, Reservation booked) {
        SpendingCap cap = caller.grants().cap();
        if (cap == null) {
            return Future.succeededFuture();
        }
        Money most = caps.most(booked)
                .orElseThrow(() -> refused(
                        cap,
                        "What this may cost is not one known amount (a price is missing, or they are in several currencies), and the token has a cap: state maxTotal.",
                        "目前无法确定最高费用（缺少价格或涉及多种币种），而令牌设有上限：请填写 maxTotal。"));
        String currency = cap.perBooking().currency().getCurrencyCode();
        if (!most.currency().equals(cap.perBooking().currency())) {
            throw refused(
                    cap,
                    "The token's cap is in " + currency + ", the price is not: state maxTotal in " + currency + ".",
                    "令牌的上限以 " + currency + " 计，而价格不是：请以 " + currency + " 填写 maxTotal。");
        }
        if (most.isMoreThan(cap.perBooking())) {
            throw refused(
                    cap,
                    "This may cost up to " + most + ", and one booking under this token may cost " + cap.perBooking()
                            + " at most: ask for less, or state a lower maxTotal.",
                    "此预订最多可能花费 " + most + "，而此令牌单次上限为 " + cap.perBooking() + "：请减少数量或填写更低的 maxTotal。");
        }
        LocalDate day = clock.instant().atZone(ZoneOffset.UTC).toLocalDate();
        return connection
                .preparedQuery(SUMS)
                .execute(Tuple.of(cap.grantee(), booked.id(), day))
                .map(rows -> rows.iterator().next())
                .compose(sums -> add(connection, cap, booked, day, most, sums));
    }

    private static Future<Void> add(
            SqlConnection connection, SpendingCap cap, Reservation booked, LocalDate day, Money most, Row sums) {
        BigDecimal more = most.amount().subtract(sums.getBigDecimal("charged"));
        if (more.signum() <= 0) {
            return Future.succeededFuture();
        }
        BigDecimal left = cap.perDay().amount().subtract(sums.getBigDecimal("today"));
        if (more.compareTo(left) > 0) {
            Money open = Money.rounded(left.max(BigDecimal.ZERO), most.currency());
            throw refused(
                    cap,
                    "This may cost up to " + most + ", and " + open + " of " + cap.perDay()
                            + " are left for bookings under this token today (UTC): wait until tomorrow, or ask for less.",
                    "此预订最多可能花费 " + most + "，而此令牌今日（UTC）上限 " + cap.perDay() + " 仅剩 " + open + "：请明天再试或减少数量。");
        }
        return connection
                .preparedQuery(ADD)
                .execute(Tuple.of(cap.grantee(), booked.id(), day, more))
                .mapEmpty();
    }

    private static ApiProblem refused(SpendingCap cap, String detail, String detailZh) {
        Map<String, Object> limits = new LinkedHashMap<>();
        limits.put("perBooking", PlanJson.money(cap.perBooking()));
        limits.put("perDay", PlanJson.money(cap.perDay()));
        return new ApiProblem(Problem.of(403, "cap_exceeded", detail, detailZh).with("cap", limits));
    }

    private static ApiProblem revoked() {
        return new ApiProblem(
                Problem.of(401, "unauthorized", "The token is not known here or no longer valid.", "令牌无效或已失效。")
                        .withHeader("WWW-Authenticate", "Bearer error=\"invalid_token\""));
    }
}
