package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.net.CallFault;
import dev.gpubroker.broker.net.Outbound;
import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import dev.gpubroker.broker.net.RefusedAddress;
import io.vertx.core.Future;
import java.net.URI;
import java.time.InstantSource;
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
    private static final String ACTIVE = "active";
    private static final int DEFAULT_GROUP = 1;
    /** With the calls before and after it still well within the hold of a delivery. */
    private static final long LONGEST_SECONDS = 45;

    private final Outbound outbound;
    private final Starts secrets;
    private final TriggerStore triggers;
    private final Runners runners;
    private final @Nullable RunnerHost host;
    private final InstantSource clock;

    /** @param host null: nothing can be run on machines */
    RunnerStarts(
            Outbound outbound,
            Starts secrets,
            TriggerStore triggers,
            Runners runners,
            @Nullable RunnerHost host,
            InstantSource clock) {
        this.outbound = outbound;
        this.secrets = secrets;
        this.triggers = triggers;
        this.runners = runners;
        this.host = host;
        this.clock = clock;
    }

    boolean isPossible() {
        return host != null;
    }

    /** Fails with a {@link RunnerFault} where there is no runner afterwards. */
    Future<Void> prepare(Trigger trigger, Firing firing, int tries) {
        if (trigger.runner() == null) {
            return Future.succeededFuture();
        }
        if (host == null) {
            return Future.failedFuture(new RunnerFault("no runner: this broker has no key to log in to machines"));
        }
        Registry registry = registry(trigger, firing.run(), firing.reservation());
        Future<Optional<Listed>> known =
                tries > 1 ? ask(registry.list()).map(registry::find) : Future.succeededFuture(Optional.empty());
        return known.compose(found -> found.map(Listed::online).orElse(false)
                        ? Future.succeededFuture()
                        : anew(host, registry, found, trigger, firing))
                .recover(fault -> Future.failedFuture(
                        fault instanceof CallFault || fault instanceof RefusedAddress
                                ? new RunnerFault("no runner: " + fault.getMessage())
                                : fault));
    }

    /** The machine is looked for before anything is registered, and written down before anything runs on it. */
    private Future<Void> anew(
            RunnerHost machines, Registry registry, Optional<Listed> found, Trigger trigger, Firing firing) {
        return machines.of(trigger.team(), firing.reservation())
                .recover(fault -> Future.failedFuture(new RunnerFault("no runner: " + fault.getMessage())))
                .compose(place -> runners.put(
                                new Runners.Put(
                                        firing.run(),
                                        trigger.id(),
                                        trigger.team(),
                                        firing.reservation(),
                                        place.ownNode()),
                                clock.instant())
                        .compose(written -> removed(registry, found))
                        .compose(gone -> ask(registry.register()))
                        .compose(answer -> onMachine(place, registry, answer)))
                .compose(started -> stillActive(machines, trigger, firing));
    }

    /** Whoever ended the reservation meanwhile found no runner to end. */
    private Future<Void> stillActive(RunnerHost machines, Trigger trigger, Firing firing) {
        return triggers.stateOf(trigger.team(), firing.reservation()).compose(state -> {
            if (state.equals(Optional.of(ACTIVE))) {
                return Future.succeededFuture();
            }
            return runners.read(firing.run())
                    .compose(put -> put.isPresent() && put.get().node() != null
                            ? machines.runOn(
                                    Objects.requireNonNull(put.get().node()), RunnerScript.end(name(firing.run())))
                            : Future.succeededFuture())
                    .compose(ended -> Future.failedFuture(
                            new RunnerFault("no runner: the reservation ended while it was started")));
        });
    }

    /** Takes a run's runner off the list of its server, if it is there. */
    Future<Void> forget(Trigger trigger, String run) {
        if (trigger.runner() == null) {
            return Future.succeededFuture();
        }
        Registry registry = registry(trigger, run, "");
        return ask(registry.list()).compose(answer -> removed(registry, registry.find(answer)));
    }

    private Registry registry(Trigger trigger, String run, String reservation) {
        Trigger.Runner runner = Objects.requireNonNull(trigger.runner());
        List<String> labels = new ArrayList<>(List.of("gpu-" + reservation));
        labels.addAll(runner.labels());
        return trigger.kind() == TriggerKind.GITLAB_PIPELINE
                ? gitlab(trigger, name(run), labels)
                : github(trigger, name(run), labels, runner);
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

    private static Future<Void> onMachine(RunnerHost.Place place, Registry registry, JsonNode answer) {
        String secret = registry.secret(answer);
        return secret.isEmpty()
                ? Future.failedFuture(new RunnerFault("no runner: the answer holds no configuration"))
                : place.run(registry.script(), secret + "\n")
                        .timeout(LONGEST_SECONDS, TimeUnit.SECONDS)
                        .recover(fault -> Future.failedFuture(new RunnerFault("no runner: " + fault.getMessage())));
    }

    static String name(String run) {
        return "gpu-" + run;
    }

    private Registry github(Trigger trigger, String name, List<String> labels, Trigger.Runner runner) {
        Map<String, String> headers = GithubStart.headers(String.valueOf(secrets.opened(trigger, trigger.token())));
        String path = "/actions/runners";
        return new Registry() {
            @Override
            public Call list() {
                return Calls.get(
                        GithubStart.repository(trigger, path + "?per_page=100&name=" + Calls.encoded(name)), headers);
            }

            @Override
            public Optional<Listed> find(JsonNode answer) {
                return listed(answer.path("runners"), "name", name);
            }

            @Override
            public Call remove(String id) {
                return Calls.delete(GithubStart.repository(trigger, path + "/" + id), headers);
            }

            @Override
            public Call register() {
                ObjectNode body = JsonNodeFactory.instance.objectNode();
                body.put("name", name);
                body.put("runner_group_id", Objects.requireNonNullElse(runner.group(), DEFAULT_GROUP));
                ArrayNode all = body.putArray("labels").add("self-hosted");
                labels.forEach(all::add);
                body.put("work_folder", "_work");
                return Calls.json(GithubStart.repository(trigger, path + "/generate-jitconfig"), headers, body);
            }

            @Override
            public String secret(JsonNode answer) {
                return answer.path("encoded_jit_config").asText();
            }

            @Override
            public String script() {
                return RunnerScript.github(name);
            }
        };
    }

    private Registry gitlab(Trigger trigger, String name, List<String> labels) {
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
                return listed(answer, "description", name);
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
                fields.put("description", name);
                fields.put("tag_list", String.join(",", labels));
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
                return RunnerScript.gitlab(name, trigger.target().server());
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
