package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** The part of GitHub's REST API (2022-11-28) that starts workflows and registers runners. */
public final class FakeGithub extends FakeServer {
    private static final String ROOT = "/repos/acme/train";
    /** What the workflow's file declares; GitHub refuses any other input. */
    private static final Set<String> DECLARED = Set.of("gpu_reservation", "gpu_run", "config");

    /** Inputs of each workflow that runs. */
    public final List<JsonNode> started = new CopyOnWriteArrayList<>();

    private final ArrayNode runs = JSON.createArrayNode();
    private final ArrayNode runners = JSON.createArrayNode();
    public final List<JsonNode> registered = new CopyOnWriteArrayList<>();
    /** Whether the workflow has {@code run-name: train ${{ inputs.gpu_run }}}. */
    boolean named = true;

    boolean runnersComeUp = true;

    public FakeGithub(Vertx vertx) {
        super(vertx);
    }

    @Override
    Reply answer(Asked asked) {
        must(asked.header("Authorization").equals("Bearer gh-token"), 401, "Bad credentials");
        must(!asked.header("User-Agent").equals("null"), 403, "Request forbidden by administrative rules");
        must(asked.header("Accept").equals("application/vnd.github+json"), 415, "Unsupported media type");
        must(asked.header("X-GitHub-Api-Version").equals("2022-11-28"), 400, "unknown version");
        return switch (asked.call()) {
            case "POST " + ROOT + "/dispatches" -> repositoryDispatch(asked.json());
            case "POST " + ROOT + "/actions/workflows/train.yml/dispatches" -> workflowDispatch(asked.json());
            case "GET " + ROOT + "/actions/workflows/train.yml/runs" -> runs(asked, "workflow_dispatch");
            case "GET " + ROOT + "/actions/runs" -> runs(asked, "repository_dispatch");
            case "POST " + ROOT + "/actions/runners/generate-jitconfig" -> register(asked.json());
            case "GET " + ROOT + "/actions/runners" -> runners(asked.http().getParam("name"));
            case "DELETE " + ROOT + "/actions/runners/1" -> remove();
            default -> Reply.of(404, "{\"message\":\"Not Found\"}");
        };
    }

    private Reply repositoryDispatch(JsonNode body) {
        onlyMembers(body, Set.of("event_type", "client_payload"));
        must(
                body.path("event_type").isTextual()
                        && body.path("event_type").asText().length() <= 100,
                422,
                "event_type");
        JsonNode payload = body.path("client_payload");
        must(payload.isObject() && payload.size() <= 10, 422, "No more than 10 properties are allowed");
        start("repository_dispatch", payload);
        return Reply.of(204, "");
    }

    private Reply workflowDispatch(JsonNode body) {
        onlyMembers(body, Set.of("ref", "inputs", "return_run_details"));
        must(body.path("ref").asText().equals("main"), 422, "No ref found for: " + body.path("ref"));
        JsonNode inputs = body.path("inputs");
        must(inputs.isObject() && inputs.size() <= 25, 422, "you may only define up to 25 inputs");
        inputs.properties().forEach(input -> {
            must(DECLARED.contains(input.getKey()), 422, "Unexpected inputs provided: " + input.getKey());
            must(input.getValue().isTextual(), 422, "inputs are texts");
        });
        start("workflow_dispatch", inputs);
        if (!body.path("return_run_details").asBoolean()) {
            return Reply.of(204, "");
        }
        ObjectNode details = JSON.createObjectNode();
        details.put("workflow_run_id", started.size());
        details.put("run_url", url() + ROOT + "/actions/runs/" + started.size());
        details.put("html_url", "https://github.example/acme/train/actions/runs/" + started.size());
        return Reply.of(200, details.toString());
    }

    private void start(String event, JsonNode inputs) {
        started.add(inputs);
        runs.addObject()
                .put("id", started.size())
                .put("event", event)
                .put("display_title", named ? "train " + inputs.path("gpu_run").asText() : "train");
    }

    private Reply runs(Asked asked, String event) {
        must(event.equals(asked.http().getParam("event")), 422, "event");
        must("100".equals(asked.http().getParam("per_page")), 422, "per_page");
        ObjectNode list = JSON.createObjectNode().put("total_count", runs.size());
        list.set("workflow_runs", runs);
        return Reply.of(200, list.toString());
    }

    private Reply register(JsonNode body) {
        onlyMembers(body, Set.of("name", "runner_group_id", "labels", "work_folder"));
        must(body.path("name").isTextual(), 422, "name");
        must(body.path("runner_group_id").isInt(), 422, "runner_group_id");
        must(
                body.path("labels").isArray()
                        && !body.path("labels").isEmpty()
                        && body.path("labels").size() <= 100,
                422,
                "labels");
        must(runners.isEmpty(), 409, "Already exists - A runner with that name already exists");
        registered.add(body);
        runners.addObject()
                .put("id", 1)
                .put("name", body.path("name").asText())
                .put("status", runnersComeUp ? "online" : "offline")
                .put("busy", false);
        return Reply.of(201, "{\"runner\":{\"id\":1},\"encoded_jit_config\":\"c2VjcmV0LW9mLXRoZS1ydW5uZXI=\"}");
    }

    private Reply runners(String name) {
        ObjectNode list = JSON.createObjectNode().put("total_count", runners.size());
        ArrayNode found = list.putArray("runners");
        runners.forEach(runner -> {
            if (name == null || runner.path("name").asText().equals(name)) {
                found.add(runner);
            }
        });
        return Reply.of(200, list.toString());
    }

    private Reply remove() {
        runners.removeAll();
        return Reply.of(204, "");
    }

    private static void onlyMembers(JsonNode body, Set<String> known) {
        body.fieldNames().forEachRemaining(name -> must(known.contains(name), 422, name + " is not a permitted key."));
    }
}
