package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Grants;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.http.Scope;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** {@code /v1/caller}: a job that is refused something can ask what its secret is good for. */
final class CallerRoutes implements Routes {
    @Override
    public void addTo(RouteTable table) {
        table.on("readCaller", this::readCaller);
    }

    private Future<ApiReply> readCaller(ApiRequest request) {
        Caller caller = request.caller();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", caller.name());
        json.put("team", caller.team());
        json.put("kind", kind(caller.grants()));
        json.put(
                "scopes",
                caller.grants().scopes().stream().map(Scope::wireName).sorted().toList());
        Set<String> pools = caller.grants().pools();
        json.put("pools", pools == null ? null : new TreeSet<>(pools));
        return Future.succeededFuture(ApiReply.ok(json));
    }

    private static String kind(Grants grants) {
        return grants.credential().isEmpty() ? "admin" : grants.isTicket() ? "ticket" : "token";
    }
}
