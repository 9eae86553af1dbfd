package dev.gpubroker.broker.trigger;

import dev.gpubroker.broker.secret.SecretBox;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Opens a trigger's secrets and knows how its target is spoken to. */
final class Starts {
    private final SecretBox box;

    Starts(SecretBox box) {
        this.box = box;
    }

    Start of(Trigger trigger) {
        String token = opened(trigger, trigger.token());
        return switch (trigger.kind()) {
            case GITHUB_REPOSITORY_DISPATCH, GITHUB_WORKFLOW_DISPATCH ->
                new GithubStart(trigger, Objects.requireNonNull(token));
            case GITLAB_PIPELINE ->
                new GitlabStart(trigger, Objects.requireNonNull(token), opened(trigger, trigger.apiToken()));
            case JENKINS_BUILD -> new JenkinsStart(trigger, Objects.requireNonNull(token));
            case GENERIC -> new GenericStart(trigger, token);
        };
    }

    @Nullable
    String opened(Trigger trigger, @Nullable String sealed) {
        return sealed == null ? null : box.open(Trigger.TABLE, trigger.id(), sealed);
    }
}
