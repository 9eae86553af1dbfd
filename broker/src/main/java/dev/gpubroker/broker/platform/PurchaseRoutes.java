package dev.gpubroker.broker.platform;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.IdempotencyTicket;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /v1/purchases}: the one switch for all buying. It never stops a release. */
public final class PurchaseRoutes implements Routes {
    private static final Logger LOG = LoggerFactory.getLogger(PurchaseRoutes.class);

    /** Who paused first stays there, unless somebody adds a reason. */
    private static final String PAUSE = """
            -- purchases.pause
            UPDATE purchase_switch
               SET paused_by = CASE WHEN paused AND $3::text IS NULL THEN paused_by ELSE $1 END,
                   paused_at = CASE WHEN paused THEN paused_at ELSE $2 END,
                   paused_why = CASE WHEN paused THEN coalesce($3, paused_why) ELSE $3 END,
                   paused = true
            RETURNING paused, paused_by, paused_at, paused_why
            """;

    private static final String RESUME = """
            -- purchases.resume
            UPDATE purchase_switch
               SET paused_by = CASE WHEN paused THEN $1 ELSE paused_by END,
                   paused_at = CASE WHEN paused THEN $2 ELSE paused_at END,
                   paused_why = NULL,
                   paused = false
            RETURNING paused, paused_by, paused_at, paused_why
            """;

    private final Database database;
    private final ZoneId zone;
    private final InstantSource clock;

    /** @param zone in which times are shown, since these calls name none */
    public PurchaseRoutes(Database database, ZoneId zone, InstantSource clock) {
        this.database = database;
        this.zone = zone;
        this.clock = clock;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("pausePurchases", this::pausePurchases).on("resumePurchases", this::resumePurchases);
    }

    private Future<ApiReply> pausePurchases(ApiRequest request) {
        JsonNode reason = request.body() == null ? null : request.body().get("reason");
        return move(
                request,
                PAUSE,
                Tuple.of(
                        request.caller().name(),
                        PgTime.of(clock.instant()),
                        reason == null || reason.isNull() ? null : reason.asText()));
    }

    private Future<ApiReply> resumePurchases(ApiRequest request) {
        return move(request, RESUME, Tuple.of(request.caller().name(), PgTime.of(clock.instant())));
    }

    private Future<ApiReply> move(ApiRequest request, String statement, Tuple values) {
        if (!request.caller().admin()) {
            throw new ApiProblem(
                    403, "not_allowed", "Only an administrator may pause or resume buying.", "只有管理员可以暂停或恢复采购。");
        }
        IdempotencyTicket ticket = request.ticket();
        return database.inTransaction(connection -> locked(connection, ticket)
                        .compose(ours -> connection.preparedQuery(statement).execute(values))
                        .compose(rows -> answered(
                                connection,
                                ticket,
                                ApiReply.ok(json(rows.iterator().next())))))
                .onSuccess(committed -> LOG.info(
                        "{} by {}", request.operationId(), request.caller().name()));
    }

    private static Future<Void> locked(SqlConnection connection, @Nullable IdempotencyTicket ticket) {
        return ticket == null ? Future.succeededFuture() : ticket.lockIn(connection);
    }

    private static Future<ApiReply> answered(
            SqlConnection connection, @Nullable IdempotencyTicket ticket, ApiReply reply) {
        return ticket == null
                ? Future.succeededFuture(reply)
                : ticket.answerIn(connection, reply).map(reply);
    }

    private ObjectNode json(Row row) {
        Instant since = PgTime.readNullable(row, "paused_at");
        return JsonNodeFactory.instance
                .objectNode()
                .put("paused", row.getBoolean("paused"))
                .put("since", since == null ? null : RequestJson.time(since, zone))
                .put("by", row.getString("paused_by"))
                .put("reason", row.getString("paused_why"));
    }
}
