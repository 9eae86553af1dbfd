package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.Money;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.stream.StreamSupport;

/** Changes of claims in PostgreSQL. */
public final class PgClaimChanges implements ClaimChanges {
    private static final String ADD_AMOUNT = """
            -- claim.add_amount
            UPDATE claim SET amount = amount + $2 WHERE claim_key = $1 AND currency = $3""";

    @Override
    public Future<Void> addAmount(SqlConnection connection, ClaimKey key, Money more) {
        return connection
                .preparedQuery(ADD_AMOUNT)
                .execute(Tuple.of(key.text(), more.amount(), more.currency().getCurrencyCode()))
                .mapEmpty();
    }

    private static final String ADOPT = """
            -- claim.adopt
            UPDATE claim
               SET attempt = $3,
                   unit = unit + (SELECT coalesce(max(unit) + 1, 0) FROM claim WHERE reservation_id = $1 AND attempt = $3)
             WHERE reservation_id = $1 AND attempt = $2""";

    @Override
    public Future<Void> adopt(SqlConnection connection, String reservationId, int made, int running) {
        return connection
                .preparedQuery(ADOPT)
                .execute(Tuple.of(reservationId, made, running))
                .mapEmpty();
    }

    private static final String SET_ASIDE = """
            -- claim.set_aside
            UPDATE claim SET attempt = $2, unwanted = true, version = version + 1 WHERE claim_key = $1""";

    @Override
    public Future<Void> setAside(SqlConnection connection, Claim claim, int attempt) {
        return connection
                .preparedQuery(SET_ASIDE)
                .execute(Tuple.of(claim.key().text(), attempt))
                .mapEmpty();
    }

    private static final String UNWANT = """
            -- claim.unwant_attempt
            UPDATE claim
               SET unwanted = true, version = version + 1,
                   state = CASE WHEN state = 'intended' AND arrives_by IS NULL THEN 'refused' ELSE state END,
                   detail = CASE WHEN state = 'intended' AND arrives_by IS NULL THEN 'not wanted any more' ELSE detail END
             WHERE reservation_id = $1 AND attempt = $2 AND NOT unwanted
               AND state IN ('intended', 'accepted', 'claimed', 'unknown', 'releasing', 'absent')
            RETURNING claim_key, state""";

    @Override
    public Future<List<ClaimKey>> unwant(SqlConnection connection, String reservationId, int attempt) {
        return connection
                .preparedQuery(UNWANT)
                .execute(Tuple.of(reservationId, attempt))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .filter(row ->
                                ClaimState.ofWireName(row.getString("state")).isOpen())
                        .map(row -> new ClaimKey(row.getString("claim_key")))
                        .toList());
    }
}
