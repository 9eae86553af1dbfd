package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.net.Outbound;
import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import io.vertx.core.Future;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sends to Jenkins; where it asks for a crumb against forged requests, gets one, with its session, and sends once more. */
final class JenkinsCrumb {
    private static final int FORBIDDEN = 403;

    private final Outbound outbound;
    private final URI server;

    JenkinsCrumb(Outbound outbound, URI server) {
        this.outbound = outbound;
        this.server = server;
    }

    Future<Answer> send(Call call) {
        return outbound.send(call)
                .compose(answer -> asksForCrumb(answer) ? withCrumb(call, answer) : Future.succeededFuture(answer));
    }

    private static boolean asksForCrumb(Answer answer) {
        return answer.status() == FORBIDDEN
                && answer.body().toString(StandardCharsets.UTF_8).contains("crumb");
    }

    private Future<Answer> withCrumb(Call call, Answer refused) {
        Map<String, String> headers = new LinkedHashMap<>(call.headers());
        headers.remove("Content-Type");
        return outbound.send(Calls.get(URI.create(server + "/crumbIssuer/api/json"), headers)
                        .inTurn(call.turn()))
                .compose(issued -> {
                    JsonNode crumb = Calls.read(issued);
                    if (!issued.isSuccess() || !crumb.path("crumb").isTextual()) {
                        return Future.succeededFuture(refused);
                    }
                    Map<String, String> more = new LinkedHashMap<>(call.headers());
                    more.put(
                            crumb.path("crumbRequestField").asText("Jenkins-Crumb"),
                            crumb.path("crumb").asText());
                    String cookie = issued.headers().get("set-cookie");
                    if (cookie != null) {
                        more.put("Cookie", cookie.replaceFirst(";.*", ""));
                    }
                    return outbound.send(call.withHeaders(more));
                });
    }
}
