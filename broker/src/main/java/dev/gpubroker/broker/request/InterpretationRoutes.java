package dev.gpubroker.broker.request;

import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import io.vertx.core.Future;

/** {@code POST /v1/interpretations}: what a phrase means; calls no platform. */
public final class InterpretationRoutes implements Routes {
    private final RequestReader requests;

    public InterpretationRoutes(RequestReader requests) {
        this.requests = requests;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on(
                "interpretPhrase",
                request -> Future.succeededFuture(
                        ApiReply.ok(RequestJson.interpretation(requests.interpret(request.object())))));
    }
}
