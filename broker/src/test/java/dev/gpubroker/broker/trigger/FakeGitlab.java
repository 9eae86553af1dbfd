package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The part of GitLab's REST API (v4) that starts pipelines with a trigger token and registers runners. */
final class FakeGitlab extends FakeServer {
    private static final String PROJECT = "/api/v4/projects/42";

    final List<Map<String, String>> started = new ArrayList<>();
    final List<Map<String, String>> registered = new ArrayList<>();
    private final ArrayNode pipelines = JSON.createArrayNode();

    FakeGitlab(Vertx vertx) {
        super(vertx);
    }

    @Override
    Reply answer(Asked asked) {
        return switch (asked.call()) {
            case "POST " + PROJECT + "/trigger/pipeline" -> trigger(asked);
            case "GET " + PROJECT + "/pipelines" -> pipelines(asked);
            case "POST /api/v4/user/runners" -> register(asked);
            case "GET " + PROJECT + "/runners" -> Reply.of(200, "[]");
            default -> Reply.of(404, "{\"error\":\"404 Not Found\"}");
        };
    }

    private Reply trigger(Asked asked) {
        must(asked.header("Content-Type").equals("application/x-www-form-urlencoded"), 400, "token is missing");
        must(asked.http().query() == null, 400, "a token in an address is in every log");
        Map<String, String> form = asked.form();
        must("gl-token".equals(form.get("token")), 404, "404 Not Found");
        must("main".equals(form.get("ref")), 400, "Reference not found");
        form.keySet()
                .forEach(name -> must(
                        Set.of("token", "ref").contains(name) || name.matches("variables\\[[A-Za-z_][A-Za-z0-9_]*]"),
                        400,
                        name));
        started.add(form);
        pipelines
                .addObject()
                .put("id", started.size())
                .put("source", "trigger")
                .put("name", "gpu " + form.get("variables[GPU_RUN]"));
        return Reply.of(
                201, "{\"id\":" + started.size() + ",\"web_url\":\"https://gitlab.example/p/" + started.size() + "\"}");
    }

    private Reply pipelines(Asked asked) {
        must(asked.header("PRIVATE-TOKEN").equals("gl-api"), 401, "401 Unauthorized");
        must("trigger".equals(asked.http().getParam("source")), 400, "source");
        return Reply.of(200, pipelines.toString());
    }

    private Reply register(Asked asked) {
        must(asked.header("PRIVATE-TOKEN").equals("gl-api"), 401, "401 Unauthorized");
        Map<String, String> form = asked.form();
        must("project_type".equals(form.get("runner_type")) && "42".equals(form.get("project_id")), 400, "runner_type");
        registered.add(form);
        return Reply.of(201, "{\"id\":7,\"token\":\"glrt-secret\",\"token_expires_at\":null}");
    }
}
