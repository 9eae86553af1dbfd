package dev.gpubroker.broker.trigger;

import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A trigger as it is made; {@link #target} says what is wrong with it. Pure. */
record TriggerBody(
        @Nullable String on,
        @Nullable MatchBody match,
        String kind,
        @Nullable String server,
        @Nullable String url,
        @Nullable String repository,
        @Nullable String eventType,
        @Nullable String workflow,
        @Nullable String project,
        @Nullable String ref,
        @Nullable String job,
        @Nullable String user,
        @Nullable Map<String, String> inputs,
        @Nullable Boolean recognisable,
        @Nullable String token,
        @Nullable String apiToken,
        @Nullable RunnerBody runner) {
    record MatchBody(@Nullable String reservation, @Nullable Map<String, String> labels) {}

    record RunnerBody(
            @Nullable List<String> labels, @Nullable Integer group) {}

    private static final Map<TriggerKind, Set<String>> NEEDED = Map.of(
            TriggerKind.GITHUB_REPOSITORY_DISPATCH, Set.of("repository", "eventType", "token"),
            TriggerKind.GITHUB_WORKFLOW_DISPATCH, Set.of("repository", "workflow", "ref", "token"),
            TriggerKind.GITLAB_PIPELINE, Set.of("project", "ref", "token"),
            TriggerKind.JENKINS_BUILD, Set.of("server", "job", "token"),
            TriggerKind.GENERIC, Set.of("url"));
    private static final Map<TriggerKind, Set<String>> ALLOWED = Map.of(
            TriggerKind.GITHUB_REPOSITORY_DISPATCH, Set.of("server", "recognisable", "runner"),
            TriggerKind.GITHUB_WORKFLOW_DISPATCH, Set.of("server", "recognisable", "runner"),
            TriggerKind.GITLAB_PIPELINE, Set.of("server", "recognisable", "apiToken", "runner"),
            TriggerKind.JENKINS_BUILD, Set.of("user"),
            TriggerKind.GENERIC, Set.of("token"));
    /** GitHub takes ten members of a payload and 25 inputs; two of them are the broker's. The others name no limit. */
    private static final Map<TriggerKind, Integer> MOST_INPUTS = Map.of(
            TriggerKind.GITHUB_REPOSITORY_DISPATCH, 8,
            TriggerKind.GITHUB_WORKFLOW_DISPATCH, 23,
            TriggerKind.GITLAB_PIPELINE, 50,
            TriggerKind.JENKINS_BUILD, 50,
            TriggerKind.GENERIC, 50);

    TriggerKind triggerKind() {
        return TriggerKind.ofWireName(kind);
    }

    Trigger.Match matching() {
        return match == null
                ? new Trigger.Match(null, Map.of())
                : new Trigger.Match(match.reservation(), match.labels() == null ? Map.of() : match.labels());
    }

    Trigger.@Nullable Runner runs() {
        return runner == null
                ? null
                : new Trigger.Runner(runner.labels() == null ? List.of() : runner.labels(), runner.group());
    }

    /** @throws ApiProblem 400 naming each member that is missing or that the kind does not have */
    Trigger.Target target() {
        TriggerKind wanted = triggerKind();
        List<FieldError> errors = new ArrayList<>();
        given().forEach((name, value) -> {
            boolean needed = NEEDED.getOrDefault(wanted, Set.of()).contains(name);
            boolean allowed = needed || ALLOWED.getOrDefault(wanted, Set.of()).contains(name);
            if (needed && value == null) {
                errors.add(new FieldError(name, "required", "is required for " + kind, kind + " 必填"));
            } else if (value != null && !allowed) {
                errors.add(new FieldError(name, "not_allowed", "is not used by " + kind, kind + " 不使用此字段"));
            }
        });
        Map<String, String> sent = inputs == null ? Map.of() : inputs;
        int most = MOST_INPUTS.getOrDefault(wanted, 0);
        if (sent.size() > most) {
            errors.add(new FieldError("inputs", "maximum", "may have at most " + most, "最多 " + most + " 项"));
        }
        sent.keySet().stream()
                .filter(name -> name.equalsIgnoreCase("gpu_reservation") || name.equalsIgnoreCase("gpu_run"))
                .forEach(name ->
                        errors.add(new FieldError("inputs." + name, "not_allowed", "is set by the broker", "由系统填写")));
        for (Map.Entry<String, String> path : paths().entrySet()) {
            if (Arrays.stream(path.getValue().split("/", -1))
                    .anyMatch(step -> step.isEmpty() || step.equals(".") || step.equals(".."))) {
                errors.add(new FieldError(
                        path.getKey(), "format", "must be names with one slash between them", "必须是以单个斜杠分隔的名称"));
            }
        }
        if (runner != null && on != null && !on.equals("active")) {
            errors.add(new FieldError(
                    "runner",
                    "not_allowed",
                    "needs machines, which are there when on is active",
                    "需要机器，on 只能为 active"));
        }
        if (runner != null && wanted == TriggerKind.GITLAB_PIPELINE) {
            gitlabRunner(errors);
        }
        URI address = address(wanted, errors);
        if (!errors.isEmpty()) {
            throw new ApiProblem(Problem.invalid(errors));
        }
        return new Trigger.Target(
                address,
                repository,
                project,
                workflow,
                eventType,
                ref,
                job,
                user,
                sent,
                Boolean.TRUE.equals(recognisable));
    }

    /** What becomes part of an address. */
    private Map<String, String> paths() {
        Map<String, String> paths = new LinkedHashMap<>();
        if (repository != null) {
            paths.put("repository", repository);
        }
        if (workflow != null) {
            paths.put("workflow", workflow);
        }
        if (project != null) {
            paths.put("project", project);
        }
        if (job != null) {
            paths.put("job", job);
        }
        return paths;
    }

    private void gitlabRunner(List<FieldError> errors) {
        if (apiToken == null) {
            errors.add(new FieldError("apiToken", "required", "is required to register a runner", "注册 runner 必填"));
        }
        if (project != null && !project.matches("\\d+")) {
            errors.add(new FieldError(
                    "project", "format", "must be its number where a runner is registered", "注册 runner 时必须是项目编号"));
        }
    }

    private Map<String, @Nullable Object> given() {
        Map<String, @Nullable Object> given = new LinkedHashMap<>();
        given.put("server", server);
        given.put("url", url);
        given.put("repository", repository);
        given.put("eventType", eventType);
        given.put("workflow", workflow);
        given.put("project", project);
        given.put("ref", ref);
        given.put("job", job);
        given.put("user", user);
        given.put("recognisable", recognisable);
        given.put("token", token);
        given.put("apiToken", apiToken);
        given.put("runner", runner);
        return given;
    }

    private URI address(TriggerKind wanted, List<FieldError> errors) {
        boolean generic = wanted == TriggerKind.GENERIC;
        String usual = wanted == TriggerKind.GITLAB_PIPELINE ? "https://gitlab.com" : "https://api.github.com";
        String text = generic ? String.valueOf(url) : server == null ? usual : server;
        try {
            URI uri = new URI(generic ? text : text.replaceAll("/+$", ""));
            if (!generic && (uri.getRawQuery() != null || !text.matches("[A-Za-z0-9:/._~%\\[\\]-]+"))) {
                throw new URISyntaxException(text, "a path is put behind it");
            }
            return uri;
        } catch (URISyntaxException e) {
            errors.add(new FieldError(generic ? "url" : "server", "address", "is not a URL", "不是有效的地址"));
            return URI.create(usual);
        }
    }
}
