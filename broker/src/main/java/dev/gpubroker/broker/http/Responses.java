package dev.gpubroker.broker.http;

import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** Puts answers on the wire. */
final class Responses {
    private Responses() {}

    static void send(RoutingContext context, ApiReply reply) {
        HttpServerResponse response = context.response();
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(reply.status());
        response.putHeader("Cache-Control", "no-store");
        reply.headers().forEach(response::putHeader);
        EventStream events = reply.events();
        if (events != null) {
            events.open(SentEvents.begin(context.vertx(), response));
            return;
        }
        boolean closing = "close".equalsIgnoreCase(reply.headers().get("Connection"));
        (reply.body() == null ? response.end() : response.end(reply.body())).onComplete(sent -> {
            if (closing) { // The rest of a body that nobody wants would be read for nothing.
                context.request().connection().close();
            }
        });
    }

    static void refuse(RoutingContext context, Problem problem) {
        send(context, ApiReply.problem(problem, RequestIds.of(context)));
    }
}
