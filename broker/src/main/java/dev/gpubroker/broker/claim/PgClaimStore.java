package dev.gpubroker.broker.claim;

import static dev.gpubroker.broker.stored.StoredJson.readOrNull;
import static dev.gpubroker.broker.stored.StoredJson.write;
import static dev.gpubroker.broker.stored.StoredJson.writeOrNull;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Arrays;
import java.util.Currency;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Claims in PostgreSQL. */
public final class PgClaimStore implements ClaimStore {
    private static final String COLUMNS = """
            claim_key, reservation_id, attempt, unit, account_id, platform, region, request::text AS request, amount, currency,
            state, unwanted, launched, ref::text AS ref, lower(bought) AS bought_from, upper(bought) AS bought_to, phase,
            reason, detail, not_listed, release_tries, intended_at, arrives_by, vanished, settled_at, released_at, watch_until,
            version""";

    private final Database database;

    public PgClaimStore(Database database) {
        this.database = database;
    }

    @Override
    public Future<Optional<Claim>> read(ClaimKey key) {
        return database.pool()
                .preparedQuery("-- claim.read\nSELECT " + COLUMNS + " FROM claim WHERE claim_key = $1")
                .execute(Tuple.of(key.text()))
                .map(rows -> claims(rows).stream().findFirst());
    }

    @Override
    public Future<Optional<Claim>> lock(SqlConnection connection, ClaimKey key) {
        return connection
                .preparedQuery("-- claim.lock\nSELECT " + COLUMNS + " FROM claim WHERE claim_key = $1 FOR UPDATE")
                .execute(Tuple.of(key.text()))
                .map(rows -> claims(rows).stream().findFirst());
    }

    private static final String SAVE_MACHINE = """
            -- claim.save_machine
            INSERT INTO node (node_id, claim_key, name, address, model, gpus, created_at, ssh_port, ssh_user)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (node_id) DO UPDATE
               SET address = excluded.address, ssh_port = excluded.ssh_port, ssh_user = excluded.ssh_user
             WHERE excluded.address IS NOT NULL
               AND (node.address, node.ssh_port, node.ssh_user)
                   IS DISTINCT FROM (excluded.address, excluded.ssh_port, excluded.ssh_user)""";

    @Override
    public Future<Void> saveMachines(
            SqlConnection connection, Claim claim, List<ClaimStatus.Machine> machines, Instant now) {
        if (machines.isEmpty()) {
            return Future.succeededFuture();
        }
        List<Tuple> rows = machines.stream()
                .map(machine -> Tuple.from(Arrays.asList(
                        claim.key().text() + "/" + machine.id(),
                        claim.key().text(),
                        machine.id(),
                        machine.endpoint() == null ? null : machine.endpoint().host(),
                        claim.request().offer().flavor().model(),
                        claim.request().offer().flavor().gpusPerNode(),
                        PgTime.of(now),
                        machine.endpoint() == null ? null : portOf(machine.endpoint()),
                        machine.endpoint() == null ? null : machine.endpoint().user())))
                .toList();
        return connection.preparedQuery(SAVE_MACHINE).executeBatch(rows).mapEmpty();
    }

    /** Null where the platform states none. */
    private static @Nullable Integer portOf(ClaimStatus.Endpoint endpoint) {
        return endpoint.port() > 0 ? endpoint.port() : null;
    }

    private static final String MACHINES = """
            -- claim.machines
            SELECT node_id, node.claim_key, node.name, node.gpus FROM node JOIN claim USING (claim_key)
             WHERE claim.reservation_id = $1 AND NOT claim.unwanted ORDER BY attempt, unit, node.name""";

    @Override
    public Future<List<MachineRow>> machines(String reservationId) {
        return database.pool()
                .preparedQuery(MACHINES)
                .execute(Tuple.of(reservationId))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> new MachineRow(
                                row.getString("node_id"),
                                new ClaimKey(row.getString("claim_key")),
                                row.getString("name"),
                                row.getInteger("gpus")))
                        .toList());
    }

    @Override
    public Future<List<Claim>> ofReservation(String reservationId) {
        return database.pool()
                .preparedQuery("-- claim.of_reservation\nSELECT " + COLUMNS
                        + " FROM claim WHERE reservation_id = $1 ORDER BY attempt, unit")
                .execute(Tuple.of(reservationId))
                .map(PgClaimStore::claims);
    }

    private static final String INSERT = """
            -- claim.insert
            INSERT INTO claim (claim_key, reservation_id, attempt, unit, account_id, platform, region, request, amount,
                currency, state, intended_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, $9, $10, 'intended', $11)""";

    @Override
    public Future<Void> insert(SqlConnection connection, Claim claim) {
        return connection
                .preparedQuery(INSERT)
                .execute(Tuple.from(Arrays.asList(
                        claim.key().text(),
                        claim.reservationId(),
                        claim.attempt(),
                        claim.unit(),
                        claim.account(),
                        claim.platform(),
                        claim.region(),
                        write(claim.request()),
                        claim.amount().amount(),
                        claim.amount().currency().getCurrencyCode(),
                        PgTime.of(claim.intendedAt()))))
                .mapEmpty();
    }

    private static final String UPDATE = """
            -- claim.update
            UPDATE claim SET state = $3, unwanted = $4, launched = $5, ref = $6::text::jsonb, bought = tstzrange($7, $8),
                phase = $9, reason = $10, detail = $11, not_listed = $12, release_tries = $13, arrives_by = $14,
                vanished = $15, settled_at = $16, released_at = $17, watch_until = $18, version = $2 + 1
             WHERE claim_key = $1 AND version = $2""";

    @Override
    public Future<Boolean> update(SqlConnection connection, Claim before, Claim after) {
        Window bought = after.bought();
        Tuple values = Tuple.from(Arrays.asList(
                before.key().text(),
                before.version(),
                after.state().wireName(),
                after.unwanted(),
                after.launched(),
                writeOrNull(after.ref()),
                bought == null ? null : PgTime.of(bought.start()),
                bought == null ? null : PgTime.of(bought.end()),
                after.phase() == null ? null : after.phase().name(),
                after.reason() == null ? null : after.reason().wireName(),
                after.detail(),
                after.notListed(),
                after.releaseTries(),
                PgTime.ofNullable(after.arrivesBy()),
                after.vanished(),
                PgTime.ofNullable(after.settledAt()),
                PgTime.ofNullable(after.releasedAt()),
                PgTime.ofNullable(after.watchUntil())));
        return connection.preparedQuery(UPDATE).execute(values).map(done -> done.rowCount() == 1);
    }

    private static final String UNWANT = """
            -- claim.unwant
            UPDATE claim
               SET unwanted = true, version = version + 1,
                   state = CASE WHEN state = 'intended' AND arrives_by IS NULL THEN 'refused' ELSE state END,
                   detail = CASE WHEN state = 'intended' AND arrives_by IS NULL THEN 'not wanted any more' ELSE detail END
             WHERE reservation_id = $1 AND state IN ('intended', 'accepted', 'claimed', 'unknown', 'releasing', 'absent')
            RETURNING\s""" + COLUMNS;

    @Override
    public Future<List<Claim>> unwant(SqlConnection connection, String reservationId) {
        return connection
                .preparedQuery(UNWANT)
                .execute(Tuple.of(reservationId))
                .map(rows -> claims(rows).stream()
                        .filter(claim -> claim.state().isOpen())
                        .toList());
    }

    @Override
    public Future<Long> machinesHeld(@Nullable String team) {
        return database.pool()
                .preparedQuery("""
                        -- claim.machines_held
                        SELECT coalesce(sum((c.request->>'nodes')::int), 0) AS n FROM claim c
                         WHERE c.state IN ('accepted', 'claimed', 'releasing')
                           AND ($1::text IS NULL OR EXISTS (SELECT FROM reservation r
                                WHERE r.reservation_id = c.reservation_id AND r.team_id = $1))""")
                .execute(Tuple.tuple().addString(team))
                .map(rows -> rows.iterator().next().getLong("n"));
    }

    @Override
    public Future<List<Claim>> openOf(String account) {
        return database.pool()
                .preparedQuery(
                        "-- claim.open_of\nSELECT " + COLUMNS
                                + " FROM claim WHERE account_id = $1"
                                + " AND state IN ('intended', 'accepted', 'claimed', 'unknown', 'releasing') ORDER BY intended_at")
                .execute(Tuple.of(account))
                .map(PgClaimStore::claims);
    }

    private static List<Claim> claims(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(PgClaimStore::claim)
                .toList();
    }

    private static Claim claim(Row row) {
        String phase = row.getString("phase");
        String reason = row.getString("reason");
        return new Claim(
                new ClaimKey(row.getString("claim_key")),
                row.getString("reservation_id"),
                row.getInteger("attempt"),
                row.getInteger("unit"),
                row.getString("account_id"),
                row.getString("platform"),
                row.getString("region"),
                StoredJson.read(row.getString("request"), ClaimRequest.class),
                new Money(row.getNumeric("amount").bigDecimalValue(), Currency.getInstance(row.getString("currency"))),
                ClaimState.ofWireName(row.getString("state")),
                row.getBoolean("unwanted"),
                row.getBoolean("launched"),
                readOrNull(row.getString("ref"), PlatformRef.class),
                row.getValue("bought_from") == null
                        ? null
                        : new Window(PgTime.read(row, "bought_from"), PgTime.read(row, "bought_to")),
                phase == null ? null : ClaimStatus.Phase.valueOf(phase),
                reason == null ? null : Reason.ofWireName(reason),
                row.getString("detail"),
                row.getInteger("not_listed"),
                row.getInteger("release_tries"),
                PgTime.read(row, "intended_at"),
                PgTime.readNullable(row, "arrives_by"),
                row.getBoolean("vanished"),
                PgTime.readNullable(row, "settled_at"),
                PgTime.readNullable(row, "released_at"),
                PgTime.readNullable(row, "watch_until"),
                row.getLong("version"));
    }
}
