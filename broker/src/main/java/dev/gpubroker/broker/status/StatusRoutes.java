package dev.gpubroker.broker.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.booking.ReservationState;
import dev.gpubroker.broker.booking.ReservationStore;
import dev.gpubroker.broker.claim.ClaimStore;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.database.Installation;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.platform.AccountHealth;
import dev.gpubroker.broker.request.RequestJson;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code GET /v1/status}. */
public final class StatusRoutes implements Routes {
    private final Installation installation;
    private final String version;
    private final Database database;
    private final ReservationStore reservations;
    private final ClaimStore claims;
    private final Supplier<List<AccountHealth>> health;
    private final ZoneId zone;
    private final InstantSource clock;

    public StatusRoutes(
            Installation installation,
            String version,
            Database database,
            ReservationStore reservations,
            ClaimStore claims,
            Supplier<List<AccountHealth>> health,
            ZoneId zone,
            InstantSource clock) {
        this.installation = installation;
        this.version = version;
        this.database = database;
        this.reservations = reservations;
        this.claims = claims;
        this.health = health;
        this.zone = zone;
        this.clock = clock;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("readStatus", this::readStatus);
    }

    /** An administrator sees all teams; others their own, and nothing of what only administrators act on. */
    private Future<ApiReply> readStatus(ApiRequest request) {
        boolean admin = request.caller().admin();
        String team = admin ? null : request.caller().team();
        return Future.all(reservations.counts(team), claims.machinesHeld(team), operation())
                .map(all -> {
                    Operation seen = all.resultAt(2);
                    Operation shown = admin ? seen : new Operation(seen.paused(), 0);
                    return ApiReply.ok(json(all.resultAt(0), all.resultAt(1), shown, admin));
                });
    }

    private record Operation(boolean paused, long openTasks) {}

    private Future<Operation> operation() {
        return database.pool()
                .query(
                        "-- status.operation\nSELECT paused, (SELECT count(*) FROM task WHERE done_at IS NULL) AS open_tasks"
                                + " FROM purchase_switch")
                .execute()
                .map(rows -> rows.iterator().next())
                .map(row -> new Operation(row.getBoolean("paused"), row.getLong("open_tasks")));
    }

    private ObjectNode json(Map<ReservationState, Long> counts, long machines, Operation operation, boolean admin) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("installation", installation.id());
        json.put("stamp", installation.stamp().word());
        json.put("version", version);
        json.put("now", RequestJson.time(clock.instant(), zone));
        json.put("timeZone", zone.getId());
        json.put("queued", counts.getOrDefault(ReservationState.QUEUED, 0L));
        json.put("active", counts.getOrDefault(ReservationState.ACTIVE, 0L));
        ObjectNode each = json.putObject("reservations");
        counts.forEach((state, number) -> each.put(state.wireName(), number));
        json.put("purchasesPaused", operation.paused());
        json.put("openTasks", operation.openTasks());
        json.put("machinesHeld", machines);
        ArrayNode accounts = json.putArray("platforms");
        health.get().forEach(health -> accounts.add(account(health, admin)));
        return json;
    }

    private ObjectNode account(AccountHealth account, boolean admin) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("platform", account.platform());
        json.put("account", account.account());
        json.put("breaker", account.breaker().wireName());
        json.put("purchases", account.purchases());
        json.put(
                "lastAnswerAt", account.lastAnswerAt() == null ? null : RequestJson.time(account.lastAnswerAt(), zone));
        if (admin && account.lastFault() != null) {
            json.put("detail", account.lastFault());
        }
        return json;
    }
}
