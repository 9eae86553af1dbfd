package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * GitHub Actions, by its REST API of version 2022-11-28. A run is recognised by its title, which a workflow makes of the run id
 * with {@code run-name}.
 */
final class GithubStart implements Start {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Trigger trigger;
    private final String token;

    GithubStart(Trigger trigger, String token) {
        this.trigger = trigger;
        this.token = token;
    }

    static Map<String, String> headers(String token) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Authorization", "Bearer " + token);
        headers.put("Accept", "application/vnd.github+json");
        headers.put("X-GitHub-Api-Version", "2022-11-28");
        return headers;
    }

    static URI repository(Trigger trigger, String path) {
        return URI.create(
                trigger.target().server() + "/repos/" + trigger.target().repository() + path);
    }

    private boolean isWorkflow() {
        return trigger.kind() == TriggerKind.GITHUB_WORKFLOW_DISPATCH;
    }

    private String workflow() {
        return "/actions/workflows/"
                + Calls.encoded(Objects.requireNonNull(trigger.target().workflow()));
    }

    @Override
    public Call start(Firing firing) {
        ObjectNode inputs = JSON.objectNode();
        new TreeMap<>(trigger.target().inputs()).forEach(inputs::put);
        inputs.put("gpu_reservation", firing.reservation());
        inputs.put("gpu_run", firing.run());
        ObjectNode body = JSON.objectNode();
        if (isWorkflow()) {
            body.put("ref", trigger.target().ref());
            body.set("inputs", inputs);
            body.put("return_run_details", true); // Else the answer is an empty 204.
            return Calls.json(repository(trigger, workflow() + "/dispatches"), headers(token), body);
        }
        body.put("event_type", trigger.target().eventType());
        body.set("client_payload", inputs);
        return Calls.json(repository(trigger, "/dispatches"), headers(token), body);
    }

    @Override
    public Optional<String> seenAt(Answer answer) {
        return Optional.ofNullable(Calls.read(answer).path("html_url").textValue());
    }

    @Override
    public Optional<Call> look() {
        if (!trigger.target().recognisable()) {
            return Optional.empty();
        }
        String runs = isWorkflow()
                ? workflow() + "/runs?event=workflow_dispatch&per_page=100"
                : "/actions/runs?event=repository_dispatch&per_page=100";
        return Optional.of(Calls.get(repository(trigger, runs), headers(token)));
    }

    @Override
    public Seen seen(Answer answer, Firing firing) {
        JsonNode runs = Calls.read(answer).path("workflow_runs");
        if (!answer.isSuccess() || !runs.isArray()) {
            return Seen.CANNOT_TELL;
        }
        for (JsonNode run : runs) {
            if (run.path("display_title").asText().contains(firing.run())) {
                return Seen.YES;
            }
        }
        return Seen.NO;
    }
}
