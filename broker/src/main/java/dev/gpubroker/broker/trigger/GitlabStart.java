package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A GitLab pipeline, started with a trigger token. Such a token reads nothing: looking needs another one, and a pipeline that
 * shows the run id in its {@code workflow:name}.
 */
final class GitlabStart implements Start {
    private final Trigger trigger;
    private final String token;
    private final @Nullable String apiToken;

    GitlabStart(Trigger trigger, String token, @Nullable String apiToken) {
        this.trigger = trigger;
        this.token = token;
        this.apiToken = apiToken;
    }

    private URI project(String path) {
        String project = Calls.encoded(Objects.requireNonNull(trigger.target().project()));
        return URI.create(trigger.target().server() + "/api/v4/projects/" + project + path);
    }

    @Override
    public Call start(Firing firing) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("token", token);
        fields.put("ref", Objects.requireNonNull(trigger.target().ref()));
        new TreeMap<>(trigger.target().inputs()).forEach((name, value) -> fields.put("variables[" + name + "]", value));
        fields.put("variables[GPU_RESERVATION]", firing.reservation());
        fields.put("variables[GPU_RUN]", firing.run());
        return Calls.form(project("/trigger/pipeline"), Map.of(), fields);
    }

    @Override
    public Optional<String> seenAt(Answer answer) {
        return Optional.ofNullable(Calls.read(answer).path("web_url").textValue());
    }

    @Override
    public Optional<Call> look() {
        if (apiToken == null || !trigger.target().recognisable()) {
            return Optional.empty();
        }
        return Optional.of(
                Calls.get(project("/pipelines?source=trigger&per_page=100"), Map.of("PRIVATE-TOKEN", apiToken)));
    }

    @Override
    public Seen seen(Answer answer, Firing firing) {
        JsonNode pipelines = Calls.read(answer);
        if (!answer.isSuccess() || !pipelines.isArray()) {
            return Seen.CANNOT_TELL;
        }
        boolean named = true;
        for (JsonNode pipeline : pipelines) {
            if (pipeline.path("name").asText("").contains(firing.run())) {
                return Seen.YES;
            }
            named &= pipeline.has("name");
        }
        // Servers before 15.11 list no names, so there is nothing to recognise it by.
        return named ? Seen.NO : Seen.NEVER_SHOWN;
    }
}
