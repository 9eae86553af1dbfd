package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Cursor;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import io.vertx.core.Future;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code /v1/audit-events}. */
final class AuditRoutes implements Routes {
    private static final int PAGE = 50;
    private static final String FILTER = "audit";

    private final Database database;
    private final AuditLog audit;
    private final ZoneId zone;

    AuditRoutes(Database database, AuditLog audit, ZoneId zone) {
        this.database = database;
        this.audit = audit;
        this.zone = zone;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listAuditEvents", this::listAuditEvents);
    }

    private Future<ApiReply> listAuditEvents(ApiRequest request) {
        int limit = request.queryInt("limit", PAGE);
        String cursor = request.query("cursor");
        long before = cursor == null
                ? Long.MAX_VALUE
                : Long.parseLong(Cursor.decoded(cursor, FILTER).id());
        return audit.list(database.pool(), before, limit + 1).map(found -> page(found, limit));
    }

    private ApiReply page(List<AuditLog.Event> found, int limit) {
        List<AuditLog.Event> shown = found.subList(0, Math.min(limit, found.size()));
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("items", shown.stream().map(this::json).toList());
        AuditLog.Event last = found.size() > limit ? shown.get(shown.size() - 1) : null;
        body.put("nextCursor", last == null ? null : new Cursor(last.at(), Long.toString(last.id())).encoded(FILTER));
        return ApiReply.ok(body);
    }

    private Map<String, Object> json(AuditLog.Event event) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", Long.toString(event.id()));
        json.put("at", Fields.time(event.at(), zone));
        json.put("lastAt", Fields.time(event.lastAt(), zone));
        json.put("times", event.times());
        json.put("team", event.team());
        json.put("who", event.who());
        json.put("what", event.what());
        json.put("subject", event.subject());
        json.put("detail", event.detail());
        return json;
    }
}
