package dev.gpubroker.broker.access;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import io.vertx.core.Future;
import java.util.List;

/** {@code …/{id}/access}, and the machines' own call. */
final class AccessRoutes implements Routes {
    private final AccessService access;
    private final CallHome callHome;

    AccessRoutes(AccessService access, CallHome callHome) {
        this.access = access;
        this.callHome = callHome;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("readAccess", this::readAccess).on("reportMachineReady", this::reportMachineReady);
    }

    private Future<ApiReply> readAccess(ApiRequest request) {
        return access.read(request.caller(), request.path("id"))
                .map(nodes -> ApiReply.ok(json(nodes)).withHeader("Cache-Control", "no-store"));
    }

    private static ObjectNode json(List<AccessService.Node> nodes) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode items = json.putArray("nodes");
        for (AccessService.Node node : nodes) {
            Machine machine = node.machine();
            ObjectNode item = items.addObject();
            item.put("name", machine.name());
            machine.gpus().forEach(item.putArray("gpus")::add);
            item.put("readiness", node.readiness().wireName());
            item.put("host", machine.login().host());
            item.put("port", machine.login().port());
            item.put("user", node.user());
            item.put("hostKey", machine.login().knownHost(machine.hostKey()));
            if (node.password() != null) {
                item.put("password", node.password());
            }
            if (node.detail() != null) {
                item.put("detail", node.detail());
            }
        }
        return json;
    }

    /** The same answer whatever the token: nobody learns which are good. */
    private Future<ApiReply> reportMachineReady(ApiRequest request) {
        ObjectNode body = request.object();
        return callHome.called(body.path("token").asText(), body.path("machine").asText())
                .map(done -> ApiReply.noContent());
    }
}
