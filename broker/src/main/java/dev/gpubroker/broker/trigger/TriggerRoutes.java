package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Cursor;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.request.RequestJson;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** {@code /v1/triggers}. Tokens go in and never come out. */
final class TriggerRoutes implements Routes {
    private static final int PAGE = 50;

    private final TriggerService triggers;
    private final Runnable again;
    private final ZoneId zone;

    /**
     * @param again called when there is something to start
     * @param zone in which times are shown, since these calls name none
     */
    TriggerRoutes(TriggerService triggers, Runnable again, ZoneId zone) {
        this.triggers = triggers;
        this.again = again;
        this.zone = zone;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listTriggers", this::listTriggers)
                .on("createTrigger", this::createTrigger)
                .on("readTrigger", this::readTrigger)
                .on("deleteTrigger", this::deleteTrigger)
                .on("listTriggerFirings", this::listTriggerFirings)
                .on("fireTriggerAgain", this::fireTriggerAgain);
    }

    private Future<ApiReply> listTriggers(ApiRequest request) {
        return triggers.list(request.caller()).map(all -> {
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            ArrayNode items = body.putArray("items");
            all.forEach(trigger -> items.add(json(trigger)));
            return ApiReply.ok(body);
        });
    }

    private Future<ApiReply> createTrigger(ApiRequest request) {
        return triggers.create(request.caller(), request.bodyAs(TriggerBody.class))
                .map(trigger -> ApiReply.created("/v1/triggers/" + trigger.id(), json(trigger)));
    }

    private Future<ApiReply> readTrigger(ApiRequest request) {
        return triggers.read(request.caller(), request.path("id")).map(trigger -> ApiReply.ok(json(trigger)));
    }

    private Future<ApiReply> deleteTrigger(ApiRequest request) {
        return triggers.delete(request.caller(), request.path("id")).map(done -> ApiReply.noContent());
    }

    private Future<ApiReply> listTriggerFirings(ApiRequest request) {
        String id = request.path("id");
        String state = request.query("state");
        int limit = request.queryInt("limit", PAGE);
        String filter = "firings " + request.caller().team() + " " + id + " " + state;
        String cursor = request.query("cursor");
        return triggers.firings(
                        request.caller(),
                        id,
                        state == null ? null : Delivery.State.valueOf(state.toUpperCase(Locale.ROOT)),
                        cursor == null ? null : Cursor.decoded(cursor, filter),
                        limit + 1)
                .map(found -> ApiReply.ok(page(found, limit, filter)));
    }

    /** @param found one more than the page holds, if there are more */
    private ObjectNode page(List<Delivery> found, int limit, String filter) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode items = body.putArray("items");
        found.stream().limit(limit).forEach(firing -> items.add(json(firing)));
        Delivery last = found.size() > limit ? found.get(limit - 1) : null;
        body.put("nextCursor", last == null ? null : new Cursor(last.createdAt(), last.id()).encoded(filter));
        return body;
    }

    private Future<ApiReply> fireTriggerAgain(ApiRequest request) {
        return triggers.fireAgain(request.caller(), request.path("id"), request.path("firingId"))
                .onSuccess(done -> again.run())
                .map(firing -> ApiReply.accepted(json(firing)));
    }

    private ObjectNode json(Trigger trigger) {
        Trigger.Target target = trigger.target();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", trigger.id());
        json.put("on", trigger.on());
        ObjectNode match = json.putObject("match");
        match.put("reservation", trigger.match().reservation());
        put(match.putObject("labels"), trigger.match().labels());
        json.put("kind", trigger.kind().wireName());
        json.put(
                trigger.kind() == TriggerKind.GENERIC ? "url" : "server",
                target.server().toString());
        putIfThere(json, "repository", target.repository());
        putIfThere(json, "eventType", target.eventType());
        putIfThere(json, "workflow", target.workflow());
        putIfThere(json, "project", target.project());
        putIfThere(json, "ref", target.ref());
        putIfThere(json, "job", target.job());
        putIfThere(json, "user", target.user());
        put(json.putObject("inputs"), target.inputs());
        json.put("recognisable", target.recognisable());
        Trigger.Runner runner = trigger.runner();
        if (runner == null) {
            json.putNull("runner");
        } else {
            ObjectNode runs = json.putObject("runner");
            runner.labels().forEach(runs.putArray("labels")::add);
            runs.put("group", runner.group());
        }
        json.put("createdBy", trigger.createdBy());
        json.put("createdAt", RequestJson.time(trigger.createdAt(), zone));
        return json;
    }

    private static void put(ObjectNode json, Map<String, String> texts) {
        new TreeMap<>(texts).forEach(json::put);
    }

    private static void putIfThere(ObjectNode json, String member, @Nullable String value) {
        if (value != null) {
            json.put(member, value);
        }
    }

    private ObjectNode json(Delivery firing) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("run", firing.id());
        json.put("trigger", firing.lane());
        json.put("reservation", firing.subject());
        json.put("state", firing.state().wireName());
        json.put("inDoubt", firing.inDoubt());
        json.put("tries", firing.tries());
        json.put("createdAt", RequestJson.time(firing.createdAt(), zone));
        json.put("nextAt", timeOrNull(firing.nextAt()));
        json.put("endedAt", timeOrNull(firing.endedAt()));
        json.put("lastStatus", firing.status());
        json.put("lastWhy", firing.why());
        json.put("lastAnswer", firing.excerpt());
        return json;
    }

    private @Nullable String timeOrNull(@Nullable Instant instant) {
        return instant == null ? null : RequestJson.time(instant, zone);
    }
}
