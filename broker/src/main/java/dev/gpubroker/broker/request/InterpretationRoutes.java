package dev.gpubroker.broker.request;

import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;

/** {@code POST /v1/interpretations}: what a phrase means; calls no platform. */
public final class InterpretationRoutes implements Routes {
    private final PersonalRequests requests;

    public InterpretationRoutes(PersonalRequests requests) {
        this.requests = requests;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on(
                "interpretPhrase",
                request -> requests.interpret(request.caller(), request.object())
                        .map(read -> ApiReply.ok(RequestJson.interpretation(read))));
    }
}
