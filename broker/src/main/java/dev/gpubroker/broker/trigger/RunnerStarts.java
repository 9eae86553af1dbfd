package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.net.CallFault;
import dev.gpubroker.broker.net.Outbound;
import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import dev.gpubroker.broker.net.RefusedAddress;
import io.vertx.core.Future;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Puts a runner for one job on a reservation's machine. It is registered under the name of the run, so a repeat finds it: one
 * that is online is left alone, one that never came up is removed and made anew.
 */
final class RunnerStarts {
    private static final int DEFAULT_GROUP = 1;
    /** With the calls before and after it still well within the hold of a delivery. */
    private static final long LONGEST_SECONDS = 45;

    private final Outbound outbound;
    private final Starts secrets;
    private final @Nullable RunnerHost host;

    /** @param host null: nothing can be run on machines */
    RunnerStarts(Outbound outbound, Starts secrets, @Nullable RunnerHost host) {
        this.outbound = outbound;
        this.secrets = secrets;
        this.host = host;
    }

    boolean isPossible() {
        return host != null;
    }

    /** Fails with a {@link RunnerFault} where there is no runner afterwards. */
    Future<Void> prepare(Trigger trigger, Firing firing, int tries) {
        Trigger.Runner runner = trigger.runner();
        if (runner == null) {
            return Future.succeededFuture();
        }
        Registry registry = trigger.kind() == TriggerKind.GITLAB_PIPELINE
                ? gitlab(trigger, firing, runner)
                : github(trigger, firing, runner);
        Future<Optional<Listed>> known =
                tries > 1 ? ask(registry.list()).map(registry::find) : Future.succeededFuture(Optional.empty());
        return known.compose(found -> found.map(Listed::online).orElse(false)
                        ? Future.succeededFuture()
                        : removed(registry, found)
                                .compose(gone -> ask(registry.register()))
                                .compose(answer -> onMachine(trigger, firing, registry, answer)))
                .recover(fault -> Future.failedFuture(
                        fault instanceof CallFault || fault instanceof RefusedAddress
                                ? new RunnerFault("no runner: " + fault.getMessage())
                                : fault));
    }

    /** A runner that is registered already. */
    private record Listed(String id, boolean online) {}

    /** How one kind of server registers runners. */
    private interface Registry {
        Call list();

        Optional<Listed> find(JsonNode answer);

        Call remove(String id);

        Call register();

        /** The secret in the answer to {@link #register}. */
        String secret(JsonNode answer);

        String script();
    }

    private Future<JsonNode> ask(Call call) {
        return outbound.send(call)
                .compose(answer -> answer.isSuccess()
                        ? Future.succeededFuture(Calls.read(answer))
                        : Future.failedFuture(refused(call, answer)));
    }

    private static RunnerFault refused(Call call, Answer answer) {
        return new RunnerFault(
                "no runner: " + call.method() + " " + call.url().getPath() + " answered " + answer.status());
    }

    private Future<Void> removed(Registry registry, Optional<Listed> found) {
        return found.map(listed -> ask(registry.remove(listed.id())).<Void>mapEmpty())
                .orElse(Future.succeededFuture());
    }

    private Future<Void> onMachine(Trigger trigger, Firing firing, Registry registry, JsonNode answer) {
        String secret = registry.secret(answer);
        if (host == null) {
            return Future.failedFuture(new RunnerFault("no runner: this broker has no key to log in to machines"));
        }
        return secret.isEmpty()
                ? Future.failedFuture(new RunnerFault("no runner: the answer holds no configuration"))
                : host.run(trigger.team(), firing.reservation(), registry.script(), secret + "\n")
                        .timeout(LONGEST_SECONDS, TimeUnit.SECONDS)
                        .recover(fault -> Future.failedFuture(new RunnerFault("no runner: " + fault.getMessage())));
    }

    private static String name(Firing firing) {
        return "gpu-" + firing.run();
    }

    /** Jobs ask for the reservation by this label. */
    private static List<String> labels(Trigger.Runner runner, Firing firing, String... first) {
        List<String> labels = new ArrayList<>(List.of(first));
        labels.add("gpu-" + firing.reservation());
        labels.addAll(runner.labels());
        return labels;
    }

    private Registry github(Trigger trigger, Firing firing, Trigger.Runner runner) {
        Map<String, String> headers = GithubStart.headers(String.valueOf(secrets.opened(trigger, trigger.token())));
        String path = "/actions/runners";
        return new Registry() {
            @Override
            public Call list() {
                return Calls.get(
                        GithubStart.repository(trigger, path + "?per_page=100&name=" + Calls.encoded(name(firing))),
                        headers);
            }

            @Override
            public Optional<Listed> find(JsonNode answer) {
                return listed(answer.path("runners"), "name", name(firing));
            }

            @Override
            public Call remove(String id) {
                return Calls.delete(GithubStart.repository(trigger, path + "/" + id), headers);
            }

            @Override
            public Call register() {
                ObjectNode body = JsonNodeFactory.instance.objectNode();
                body.put("name", name(firing));
                body.put("runner_group_id", Objects.requireNonNullElse(runner.group(), DEFAULT_GROUP));
                labels(runner, firing, "self-hosted").forEach(body.putArray("labels")::add);
                body.put("work_folder", "_work");
                return Calls.json(GithubStart.repository(trigger, path + "/generate-jitconfig"), headers, body);
            }

            @Override
            public String secret(JsonNode answer) {
                return answer.path("encoded_jit_config").asText();
            }

            @Override
            public String script() {
                return RunnerScript.github(name(firing));
            }
        };
    }

    private Registry gitlab(Trigger trigger, Firing firing, Trigger.Runner runner) {
        Map<String, String> headers =
                Map.of("PRIVATE-TOKEN", String.valueOf(secrets.opened(trigger, trigger.apiToken())));
        String api = trigger.target().server() + "/api/v4";
        String project = Objects.requireNonNull(trigger.target().project());
        return new Registry() {
            @Override
            public Call list() {
                return Calls.get(
                        URI.create(api + "/projects/" + project + "/runners?type=project_type&per_page=100"), headers);
            }

            @Override
            public Optional<Listed> find(JsonNode answer) {
                return listed(answer, "description", name(firing));
            }

            @Override
            public Call remove(String id) {
                return Calls.delete(URI.create(api + "/runners/" + id), headers);
            }

            @Override
            public Call register() {
                Map<String, String> fields = new LinkedHashMap<>();
                fields.put("runner_type", "project_type");
                fields.put("project_id", project);
                fields.put("description", name(firing));
                fields.put("tag_list", String.join(",", labels(runner, firing)));
                fields.put("run_untagged", "false");
                fields.put("locked", "true");
                return Calls.form(URI.create(api + "/user/runners"), headers, fields);
            }

            @Override
            public String secret(JsonNode answer) {
                return answer.path("token").asText();
            }

            @Override
            public String script() {
                return RunnerScript.gitlab(name(firing), trigger.target().server());
            }
        };
    }

    private static Optional<Listed> listed(JsonNode runners, String member, String name) {
        for (JsonNode runner : runners) {
            if (runner.path(member).asText().equals(name)) {
                return Optional.of(new Listed(
                        runner.path("id").asText(),
                        runner.path("status").asText().equals("online")));
            }
        }
        return Optional.empty();
    }
}
