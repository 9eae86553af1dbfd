package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.identity.TrustRule.PullRequests;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Whether the claims of a token, whose signature and times were checked, are those that a rule trusts. Pure.
 *
 * <p>Claims of GitHub: docs.github.com, "OpenID Connect reference"; of GitLab: docs.gitlab.com, "OpenID Connect (OIDC)
 * Authentication Using ID Tokens"; both read in November 2026.
 */
final class RuleMatch {
    /**
     * Events that only somebody with write access can cause and that run code of the repository itself. Others, as
     * {@code issue_comment} or {@code workflow_run}, can be caused by anybody, and match only where a rule names them.
     */
    private static final Set<String> GITHUB_EVENTS =
            Set.of("push", "schedule", "workflow_dispatch", "repository_dispatch", "release", "deployment");

    /** The same for GitLab. A {@code parent_pipeline} may be that of a merge request. */
    private static final Set<String> GITLAB_SOURCES =
            Set.of("push", "web", "schedule", "api", "trigger", "pipeline", "chat", "webide");

    private static final String MERGE_REQUEST = "merge_request_event";

    private RuleMatch() {}

    /** The name of the first claim that is not as the rule wants it; empty if all are. */
    static Optional<String> firstMismatch(TrustRule rule, Claims claims) {
        if (!claims.is("iss", rule.issuer())) {
            return Optional.of("iss");
        }
        if (!rule.audience().equals(claims.audience())) {
            return Optional.of("aud");
        }
        Optional<String> wrong = switch (rule.kind()) {
            case GITHUB -> github(rule, claims);
            case GITLAB -> gitlab(rule, claims);
            case GENERIC -> Optional.empty();
        };
        return wrong.or(() -> common(rule, claims));
    }

    /** T-07: names can be registered again by somebody else, numbers cannot. */
    private static Optional<String> github(TrustRule rule, Claims claims) {
        if (!claims.is("repository_id", Objects.requireNonNull(rule.repositoryId()))) {
            return Optional.of("repository_id");
        }
        if (!claims.is("repository_owner_id", Objects.requireNonNull(rule.ownerId()))) {
            return Optional.of("repository_owner_id");
        }
        return githubEvent(rule, claims);
    }

    /**
     * No claim says from which repository the head of a pull request comes: {@code repository_id} is the target's, also
     * for {@code pull_request_target} of a fork. So none of them is taken.
     */
    private static Optional<String> githubEvent(TrustRule rule, Claims claims) {
        String event = claims.text("event_name");
        if (event == null || event.startsWith("pull_request")) {
            return Optional.of("event_name");
        }
        if (!claims.isEmpty("head_ref")) {
            return Optional.of("head_ref");
        }
        if (!claims.isEmpty("base_ref")) {
            return Optional.of("base_ref");
        }
        String ref = claims.text("ref");
        if (ref == null || ref.startsWith("refs/pull/")) {
            return Optional.of("ref");
        }
        String subject = claims.text("sub");
        if (subject == null || subject.endsWith(":pull_request")) {
            return Optional.of("sub");
        }
        return GITHUB_EVENTS.contains(event) || rule.claims().containsKey("event_name")
                ? Optional.empty()
                : Optional.of("event_name");
    }

    /**
     * Since 18.2.2 {@code project_id} of a fork's merge request is that of the fork, before it was that of the target;
     * {@code job_project_id} (18.3) is always that of the target.
     */
    private static Optional<String> gitlab(TrustRule rule, Claims claims) {
        String project = Objects.requireNonNull(rule.repositoryId());
        String namespace = Objects.requireNonNull(rule.ownerId());
        if (!claims.is("project_id", project)) {
            return Optional.of("project_id");
        }
        if (!claims.is("namespace_id", namespace)) {
            return Optional.of("namespace_id");
        }
        for (String name : new String[] {"job_project_id", "source_project_id"}) {
            if (!claims.isIfPresent(name, project)) {
                return Optional.of(name);
            }
        }
        for (String name : new String[] {"job_namespace_id", "source_namespace_id"}) {
            if (!claims.isIfPresent(name, namespace)) {
                return Optional.of(name);
            }
        }
        return gitlabSource(rule, claims);
    }

    private static Optional<String> gitlabSource(TrustRule rule, Claims claims) {
        String source = claims.text("pipeline_source");
        if (source == null || source.equals("external_pull_request_event")) {
            return Optional.of("pipeline_source");
        }
        if (source.equals(MERGE_REQUEST)) {
            if (rule.pullRequests() != PullRequests.SAME_REPOSITORY) {
                return Optional.of("pipeline_source");
            }
            return claims.isEmpty("job_project_id") ? Optional.of("job_project_id") : Optional.empty();
        }
        if (!GITLAB_SOURCES.contains(source) && !rule.claims().containsKey("pipeline_source")) {
            return Optional.of("pipeline_source");
        }
        String ref = claims.text("ref");
        String path = claims.is("ref_type", "tag") ? "refs/tags/" + ref : "refs/heads/" + ref;
        return claims.isIfPresent("ref_path", path) ? Optional.empty() : Optional.of("ref_path");
    }

    /** T-08: a tag may be called as a branch is. */
    private static Optional<String> common(TrustRule rule, Claims claims) {
        if (rule.ref() != null && !claims.is("ref", rule.ref())) {
            return Optional.of("ref");
        }
        if (rule.refType() != null && !claims.is("ref_type", rule.refType())) {
            return Optional.of("ref_type");
        }
        if (rule.refProtected() && !claims.is("ref_protected", "true")) {
            return Optional.of("ref_protected");
        }
        if (rule.environment() != null && !claims.is("environment", rule.environment())) {
            return Optional.of("environment");
        }
        return rule.claims().entrySet().stream()
                .filter(wanted -> !claims.is(wanted.getKey(), wanted.getValue()))
                .map(Map.Entry::getKey)
                .sorted()
                .findFirst();
    }
}
