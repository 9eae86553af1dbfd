package dev.gpubroker.broker.inventory;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers when which flavor was in stock, and what that teaches of waits. One row for each change; a wait runs from the
 * moment stock was seen to be gone to the moment it was seen again. A spell whose beginning nobody saw teaches nothing.
 */
public final class StockHistory {
    private static final Logger LOG = LoggerFactory.getLogger(StockHistory.class);
    /** Markets change; older waits say little. */
    private static final Duration LOOKS_BACK = Duration.ofDays(180);
    /** How old the picture of waits may be, in wall time, where this broker has seen no change itself. */
    private static final Duration FRESH = Duration.ofSeconds(60);

    private static final String RECORD = """
            -- stock.record
            WITH seen AS (
                SELECT * FROM unnest($3::text[], $4::int[], $5::boolean[], $6::int[]) AS s (model, gpus, in_stock, nodes)
            ), latest AS (
                SELECT s.*, l.observation_id, l.last_seen_at, l.in_stock AS was_in_stock, l.nodes AS had_nodes
                  FROM seen s LEFT JOIN LATERAL (
                       SELECT o.* FROM stock_observation o
                        WHERE o.account_id = $1 AND o.region = $2 AND o.model = s.model AND o.gpus_per_node = s.gpus
                        ORDER BY o.from_at DESC, o.observation_id DESC LIMIT 1) l ON true
            ), moved AS (
                UPDATE stock_observation o SET last_seen_at = $7
                  FROM latest l
                 WHERE o.observation_id = l.observation_id AND l.last_seen_at < $7
                   AND l.was_in_stock = l.in_stock AND l.had_nodes IS NOT DISTINCT FROM l.nodes
            )
            INSERT INTO stock_observation (account_id, region, model, gpus_per_node, in_stock, nodes, from_at, last_seen_at)
            SELECT $1, $2, l.model, l.gpus, l.in_stock, l.nodes, $7, $7
              FROM latest l
             WHERE l.observation_id IS NULL
                OR (l.last_seen_at < $7
                    AND (l.was_in_stock <> l.in_stock OR l.had_nodes IS DISTINCT FROM l.nodes))
            """;

    private static final String WAITS = """
            -- stock.waits
            WITH steps AS (
                SELECT account_id, region, model, gpus_per_node, in_stock, from_at, observation_id,
                       lag(in_stock) OVER (PARTITION BY account_id, region, model, gpus_per_node
                                               ORDER BY from_at, observation_id) AS before
                  FROM stock_observation
                 WHERE last_seen_at > $1
            ), turns AS (
                SELECT account_id, region, model, gpus_per_node, in_stock, from_at,
                       lead(from_at) OVER (PARTITION BY account_id, region, model, gpus_per_node
                                               ORDER BY from_at, observation_id) AS until
                  FROM steps
                 WHERE before <> in_stock
            )
            SELECT account_id, region, model, gpus_per_node, count(*)::int AS waits,
                   extract(epoch FROM percentile_disc(0.5) WITHIN GROUP (ORDER BY until - from_at))::bigint AS p50,
                   extract(epoch FROM percentile_disc(0.9) WITHIN GROUP (ORDER BY until - from_at))::bigint AS p90
              FROM turns
             WHERE NOT in_stock AND until IS NOT NULL
             GROUP BY account_id, region, model, gpus_per_node
            """;

    private static final String DISCARD = """
            -- stock.discard
            DELETE FROM stock_observation
            """;

    private final Pool pool;
    private final InstantSource businessTime;
    private final InstantSource wall;
    private final AtomicBoolean failing = new AtomicBoolean();
    /** Counts what may have changed the waits, so that a reading begun before is not kept. */
    private final AtomicLong changes = new AtomicLong();

    private volatile @Nullable Picture picture;

    /**
     * @param at wall time at which it was asked for
     * @param changes known by then
     */
    private record Picture(Waits waits, Instant at, long changes) {}

    public StockHistory(Pool pool, InstantSource businessTime, InstantSource wall) {
        this.pool = pool;
        this.businessTime = businessTime;
        this.wall = wall;
    }

    /** What an answer says of one flavor. */
    private record Seen(
            Flavor flavor, boolean inStock, @Nullable Integer nodes) {}

    /** Writes an answer down, soon; a failure costs the observation and is logged once. */
    void record(AccountView account, String region, List<Ask> asked, Offers offers, Instant at) {
        write(account, region, asked, offers, at)
                .onSuccess(done -> failing.set(false))
                .onFailure(fault -> {
                    if (failing.compareAndSet(false, true)) {
                        LOG.warn("what was seen of stock cannot be written down: {}", fault.toString());
                    }
                });
    }

    /** As {@link #record}, for whoever wants to know when it is done. */
    Future<Void> write(AccountView account, String region, List<Ask> asked, Offers offers, Instant at) {
        if (!account.capabilities().sellsNow() || !account.capabilities().stockAsked()) {
            return Future.succeededFuture();
        }
        List<Seen> seen = new ArrayList<>();
        Set<Flavor> flavors = new HashSet<>();
        asked.stream()
                .map(Ask::flavor)
                .filter(flavors::add)
                .forEach(flavor -> seen(flavor, offers).ifPresent(seen::add));
        if (seen.isEmpty()) {
            return Future.succeededFuture();
        }
        return pool.preparedQuery(RECORD)
                .execute(Tuple.of(account.id(), region)
                        .addValue(
                                seen.stream().map(each -> each.flavor().model()).toArray(String[]::new))
                        .addValue(seen.stream()
                                .map(each -> each.flavor().gpusPerNode())
                                .toArray(Integer[]::new))
                        .addValue(seen.stream().map(Seen::inStock).toArray(Boolean[]::new))
                        .addValue(seen.stream().map(Seen::nodes).toArray(Integer[]::new))
                        .addValue(PgTime.of(at)))
                .map(written -> {
                    if (written.rowCount() > 0) {
                        changes.incrementAndGet();
                    }
                    return null;
                });
    }

    /** Empty where the answer leaves open whether there is stock: no quota, no permission, stock that cannot be asked. */
    private static Optional<Seen> seen(Flavor flavor, Offers offers) {
        List<Offer> found = offers.available().stream()
                .filter(offer -> offer.flavor().equals(flavor))
                .toList();
        List<Offer> known = found.stream()
                .filter(offer -> offer.stock().level() != Stock.Level.UNKNOWN)
                .toList();
        if (!known.isEmpty()) {
            boolean counted = known.stream().allMatch(offer -> offer.stock().nodes() != null);
            int nodes = known.stream()
                    .map(offer -> offer.stock().nodes())
                    .mapToInt(count -> count == null ? 0 : count)
                    .sum();
            return Optional.of(new Seen(flavor, !counted || nodes > 0, counted ? nodes : null));
        }
        boolean otherReason = offers.missing().stream()
                .anyMatch(missing -> missing.flavor().equals(flavor) && missing.reason() != Reason.SOLD_OUT);
        return found.isEmpty() && !otherReason ? Optional.of(new Seen(flavor, false, 0)) : Optional.empty();
    }

    /** All waits that have ended within the last half year; at most a minute old. */
    public Future<Waits> waits() {
        Picture known = picture;
        Instant now = wall.instant();
        long changed = changes.get();
        if (known != null
                && known.changes() == changed
                && now.isBefore(known.at().plus(FRESH))) {
            return Future.succeededFuture(known.waits());
        }
        return pool.preparedQuery(WAITS)
                .execute(Tuple.of(PgTime.of(businessTime.instant().minus(LOOKS_BACK))))
                .map(rows -> {
                    Waits waits = read(rows);
                    picture = new Picture(waits, now, changed);
                    return waits;
                });
    }

    private static Waits read(RowSet<Row> rows) {
        Map<Waits.Key, Wait> waits = new HashMap<>();
        for (Row row : rows) {
            waits.put(
                    new Waits.Key(
                            row.getString("account_id"),
                            row.getString("region"),
                            new Flavor(row.getString("model"), row.getInteger("gpus_per_node"))),
                    new Wait(
                            Duration.ofSeconds(row.getLong("p50")),
                            Duration.ofSeconds(row.getLong("p90")),
                            row.getInteger("waits")));
        }
        return new Waits(waits);
    }

    /** Forgets everything: the clock was set back. */
    public Future<Void> discard() {
        return pool.preparedQuery(DISCARD)
                .execute()
                .onSuccess(done -> changes.incrementAndGet())
                .mapEmpty();
    }
}
