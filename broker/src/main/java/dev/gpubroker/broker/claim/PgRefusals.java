package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.planning.RecentRefusals;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.StreamSupport;

/** Refusals as the ledger of claims has them, so that all brokers on it pass over the same offers. */
public final class PgRefusals implements RecentRefusals.Source {
    private static final Duration STOCK = Duration.ofMinutes(10);
    private static final Duration ACCOUNT = Duration.ofHours(1);

    private final Database database;

    public PgRefusals(Database database) {
        this.database = database;
    }

    private static final String RECENT = """
            -- claim.recent_refusals
            SELECT account_id, region, request->'offer'->>'zone' AS zone, request->'offer'->>'sku' AS sku, reason,
                   max(settled_at) AS refused_at
              FROM claim
             WHERE state = 'refused' AND settled_at > $1 AND arrives_by IS NOT NULL
               AND reason IN ('sold_out', 'no_quota', 'no_balance', 'not_eligible')
             GROUP BY 1, 2, 3, 4, 5""";

    @Override
    public Future<RecentRefusals> read(Instant now) {
        return database.pool()
                .preparedQuery(RECENT)
                .execute(Tuple.of(PgTime.of(now.minus(ACCOUNT))))
                .map(rows -> new RecentRefusals(StreamSupport.stream(rows.spliterator(), false)
                        .map(PgRefusals::refusal)
                        .toList()));
    }

    private static RecentRefusals.Refusal refusal(Row row) {
        Reason reason = Reason.ofWireName(row.getString("reason"));
        Instant at = PgTime.read(row, "refused_at");
        return new RecentRefusals.Refusal(
                row.getString("account_id"),
                row.getString("region"),
                row.getString("zone"),
                row.getString("sku"),
                reason,
                at,
                at.plus(reason == Reason.SOLD_OUT ? STOCK : ACCOUNT));
    }
}
