package dev.gpubroker.broker.access;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.broker.access.Machine.State;
import dev.gpubroker.broker.booking.Reservation;
import dev.gpubroker.broker.booking.Why;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.planning.Acquisition;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Machines of reservations and whether they answer, in PostgreSQL. */
final class PgMachines {
    private final Database database;

    PgMachines(Database database) {
        this.database = database;
    }

    private static final String BOUGHT_COLUMNS = """
            SELECT n.node_id, n.name, n.model, n.address, n.ssh_port, n.ssh_user, 0 AS first_gpu, n.gpus, c.account_id, c.region,
                   c.ref::text AS ref, h.claim_key IS NOT NULL AS calls_home,
                   coalesce(cardinality(h.called) >= h.machines, false) AS called_home, m.readiness, m.detail, m.host_key
              FROM claim c
              JOIN node n USING (claim_key)
              LEFT JOIN call_home h USING (claim_key)
              LEFT JOIN machine_readiness m ON m.reservation_id = c.reservation_id AND m.node_id = n.node_id
            """;

    static final String OF_CLAIMS = "-- machine.of_claims\n" + BOUGHT_COLUMNS + """
             WHERE c.reservation_id = $1 AND c.claim_key = ANY ($2) ORDER BY c.attempt, c.unit, n.name""";

    static final String BOUGHT = "-- machine.bought\n" + BOUGHT_COLUMNS + """
             WHERE c.reservation_id = $1 AND NOT c.unwanted AND c.state = 'claimed' ORDER BY c.attempt, c.unit, n.name""";

    private static final String OWN_COLUMNS = """
            SELECT n.node_id, n.name, n.model, n.address, NULL::int AS ssh_port, NULL::text AS ssh_user, lower(a.gpus) AS first_gpu,
                   upper(a.gpus) - lower(a.gpus) AS gpus, NULL::text AS account_id, NULL::text AS region, NULL::text AS ref,
                   false AS calls_home, false AS called_home, m.readiness, m.detail, m.host_key
              FROM allocation a
              JOIN node n USING (node_id)
              JOIN pool p USING (pool_id)
              LEFT JOIN machine_readiness m ON m.reservation_id = a.reservation_id AND m.node_id = n.node_id
            """;

    static final String OWN = "-- machine.own\n" + OWN_COLUMNS + """
             WHERE a.reservation_id = $1 AND a.live AND a.layer = 0::smallint AND a.during @> business_now()
             ORDER BY n.node_id, first_gpu""";

    static final String OWN_TO_ASK = "-- machine.own_to_ask\n" + OWN_COLUMNS + """
             WHERE a.reservation_id = $1 AND a.live AND a.layer = 0::smallint AND p.readiness = 'ssh'
             ORDER BY n.node_id, first_gpu""";

    static final String OWN_NODES = """
            -- machine.own_nodes
            SELECT n.node_id, n.name, n.model, n.address, NULL::int AS ssh_port, NULL::text AS ssh_user, 0 AS first_gpu, n.gpus,
                   NULL::text AS account_id, NULL::text AS region, NULL::text AS ref, false AS calls_home,
                   false AS called_home, NULL::text AS readiness, NULL::text AS detail,
                   (SELECT m.host_key FROM machine_readiness m WHERE m.node_id = n.node_id AND m.host_key IS NOT NULL
                     ORDER BY m.changed_at DESC LIMIT 1) AS host_key
              FROM node n JOIN pool p USING (pool_id)
             WHERE n.node_id = ANY ($1) AND n.retired_at IS NULL ORDER BY n.node_id""";

    /** Those of the nodes that are own machines, whoever holds them now. */
    Future<List<Machine>> ownNodes(List<String> nodeIds) {
        return read(OWN_NODES, Tuple.tuple().addArrayOfString(nodeIds.toArray(String[]::new)));
    }

    Future<List<Machine>> ofClaims(String reservationId, List<ClaimKey> claims) {
        return read(
                OF_CLAIMS,
                Tuple.tuple()
                        .addString(reservationId)
                        .addArrayOfString(claims.stream().map(ClaimKey::text).toArray(String[]::new)));
    }

    /** What the reservation holds now, wherever it is from. */
    Future<List<Machine>> held(Reservation r) {
        boolean own = r.plan() == null || r.plan().acquisition() == Acquisition.POOL;
        return own ? own(r.id()) : bought(r.id());
    }

    /** Of every claim that is ours and wanted. */
    private Future<List<Machine>> bought(String reservationId) {
        return read(BOUGHT, Tuple.of(reservationId));
    }

    /** Own machines that the reservation holds now. */
    private Future<List<Machine>> own(String reservationId) {
        return read(OWN, Tuple.of(reservationId));
    }

    /** Own machines of pools that want to be asked. */
    Future<List<Machine>> ownToAsk(String reservationId) {
        return read(OWN_TO_ASK, Tuple.of(reservationId));
    }

    private Future<List<Machine>> read(String statement, Tuple values) {
        return database.pool().preparedQuery(statement).execute(values).map(PgMachines::machines);
    }

    private static List<Machine> machines(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(PgMachines::machine)
                .toList();
    }

    private static Machine machine(Row row) {
        int first = row.getInteger("first_gpu");
        String account = row.getString("account_id");
        String address = row.getString("address");
        String readiness = row.getString("readiness");
        String detail = row.getString("detail");
        return new Machine(
                row.getString("node_id"),
                row.getString("name"),
                row.getString("model"),
                IntStream.range(first, first + row.getInteger("gpus")).boxed().toList(),
                account == null
                        ? Login.written(address).orUsualPort()
                        : Login.stated(address, row.getInteger("ssh_port"), row.getString("ssh_user")),
                account,
                row.getString("region"),
                StoredJson.readOrNull(row.getString("ref"), PlatformRef.class),
                row.getBoolean("calls_home"),
                row.getBoolean("called_home"),
                readiness == null ? null : State.ofWireName(readiness),
                detail == null ? "" : detail,
                row.getString("host_key"));
    }

    // ---- what is being asked ------------------------------------------------------------------------------

    static final String BEGIN = """
            -- machine.begin
            INSERT INTO machine_readiness (reservation_id, node_id, readiness, detail, since, changed_at)
            VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT DO NOTHING""";

    /** @return false if somebody was faster */
    Future<Boolean> begin(
            SqlConnection connection, String reservationId, Machine machine, State state, String detail, Instant now) {
        return connection
                .preparedQuery(BEGIN)
                .execute(Tuple.of(reservationId, machine.nodeId(), state.wireName(), detail, PgTime.of(now)))
                .map(done -> done.rowCount() == 1);
    }

    /**
     * A machine that is waited for.
     *
     * @param waitedFor whether its reservation still needs the answer
     */
    record Asked(Machine machine, String team, boolean waitedFor, int tries, Instant since) {}

    private static final String ASKED_COLUMNS = """
            , r.team_id, m.tries, m.since,
                   m.readiness = 'pending' AND (r.state = 'provisioning' OR (r.state = 'active' AND r.pending_change IS NOT NULL))
                       AS waited_for
            """;

    static final String ASKED_BOUGHT =
            "-- machine.asked_bought\n" + BOUGHT_COLUMNS.replace("m.host_key\n", "m.host_key" + ASKED_COLUMNS) + """
              JOIN reservation r ON r.reservation_id = c.reservation_id
             WHERE c.reservation_id = $1 AND n.node_id = $2 AND m.node_id IS NOT NULL AND NOT c.unwanted""";

    static final String ASKED_OWN =
            "-- machine.asked_own\n" + OWN_COLUMNS.replace("m.host_key\n", "m.host_key" + ASKED_COLUMNS) + """
              JOIN reservation r ON r.reservation_id = a.reservation_id
             WHERE a.reservation_id = $1 AND n.node_id = $2 AND m.node_id IS NOT NULL AND a.live
             ORDER BY first_gpu LIMIT 1""";

    Future<Optional<Asked>> asked(String reservationId, String nodeId) {
        Tuple values = Tuple.of(reservationId, nodeId);
        return database.pool()
                .preparedQuery(ASKED_BOUGHT)
                .execute(values)
                .compose(bought -> bought.size() > 0
                        ? Future.succeededFuture(bought)
                        : database.pool().preparedQuery(ASKED_OWN).execute(values))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> new Asked(
                                machine(row),
                                row.getString("team_id"),
                                row.getBoolean("waited_for"),
                                row.getInteger("tries"),
                                PgTime.read(row, "since")))
                        .findFirst());
    }

    static final String SETTLE = """
            -- machine.settle
            UPDATE machine_readiness SET readiness = $3, detail = $4, host_key = coalesce(host_key, $5), changed_at = $6
             WHERE reservation_id = $1 AND node_id = $2 AND readiness = 'pending'""";

    /** @return false if it is settled already */
    Future<Boolean> settle(
            SqlConnection connection,
            String reservationId,
            String nodeId,
            State state,
            String detail,
            @Nullable String hostKey,
            Instant now) {
        return connection
                .preparedQuery(SETTLE)
                .execute(Tuple.from(
                        Arrays.asList(reservationId, nodeId, state.wireName(), detail, hostKey, PgTime.of(now))))
                .map(done -> done.rowCount() == 1);
    }

    static final String TRIED = """
            -- machine.tried
            UPDATE machine_readiness SET tries = tries + 1, detail = $3
             WHERE reservation_id = $1 AND node_id = $2 AND readiness = 'pending'""";

    Future<Void> tried(SqlConnection connection, String reservationId, String nodeId, String detail) {
        return connection
                .preparedQuery(TRIED)
                .execute(Tuple.of(reservationId, nodeId, detail))
                .mapEmpty();
    }

    static final String EVENT = """
            -- machine.event
            INSERT INTO reservation_event (reservation_id, team_id, at, who, what, after, why, why_zh)
            VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7, $8)""";

    /** Appends to what happened to the reservation; its version stays, since nothing of it changed. */
    Future<Void> event(
            SqlConnection connection,
            String reservationId,
            String team,
            String who,
            String what,
            Object after,
            Why why,
            Instant now) {
        return connection
                .preparedQuery(EVENT)
                .execute(Tuple.from(Arrays.asList(
                        reservationId,
                        team,
                        PgTime.of(now),
                        who,
                        what,
                        StoredJson.write(after),
                        why.english(),
                        why.chinese())))
                .mapEmpty();
    }
}
