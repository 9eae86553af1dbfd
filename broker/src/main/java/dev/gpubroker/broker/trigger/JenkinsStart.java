package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A parametrised Jenkins job. With a user the token is that user's API token, which needs no crumb; without one it is the job's
 * own token for remote builds, which reads nothing. Builds and the queue show the parameters that the job declares, so a start of a
 * job that declares the run id is recognised.
 */
final class JenkinsStart implements Start {
    private static final String TREE =
            "?tree=property[parameterDefinitions[name]],builds[url,actions[parameters[name,value]]]{0,50},"
                    + "queueItem[url,actions[parameters[name,value]]]";
    private static final String RUN = "GPU_RUN";

    private final Trigger trigger;
    private final String token;

    JenkinsStart(Trigger trigger, String token) {
        this.trigger = trigger;
        this.token = token;
    }

    private URI job(String path) {
        String folders = Arrays.stream(
                        Objects.requireNonNull(trigger.target().job()).split("/", -1))
                .map(name -> "/job/" + Calls.encoded(name))
                .collect(Collectors.joining());
        return URI.create(trigger.target().server() + folders + path);
    }

    private Map<String, String> headers() {
        String user = trigger.target().user();
        if (user == null) {
            return Map.of();
        }
        byte[] both = (user + ":" + token).getBytes(StandardCharsets.UTF_8);
        return Map.of("Authorization", "Basic " + Base64.getEncoder().encodeToString(both));
    }

    @Override
    public Call start(Firing firing) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (trigger.target().user() == null) {
            fields.put("token", token); // In the body: an address is written to logs.
        }
        new TreeMap<>(trigger.target().inputs()).forEach(fields::put);
        fields.put("GPU_RESERVATION", firing.reservation());
        fields.put(RUN, firing.run());
        return Calls.form(job("/buildWithParameters"), headers(), fields);
    }

    /** The item of the queue. */
    @Override
    public Optional<String> seenAt(Answer answer) {
        return Optional.ofNullable(answer.headers().get("location"));
    }

    @Override
    public Optional<Call> look() {
        if (trigger.target().user() == null) {
            return Optional.empty();
        }
        return Optional.of(Calls.get(
                URI.create(job("/api/json")
                        + TREE.replace("[", "%5B")
                                .replace("]", "%5D")
                                .replace("{", "%7B")
                                .replace("}", "%7D")),
                headers()));
    }

    @Override
    public Seen seen(Answer answer, Firing firing) {
        JsonNode job = Calls.read(answer);
        if (!answer.isSuccess() || !job.path("builds").isArray()) {
            return Seen.CANNOT_TELL;
        }
        if (!job.path("property").findValuesAsText("name").contains(RUN)) {
            return Seen.NEVER_SHOWN; // Jenkins drops what a job does not declare.
        }
        return job.findValuesAsText("value").contains(firing.run()) ? Seen.YES : Seen.NO;
    }
}
