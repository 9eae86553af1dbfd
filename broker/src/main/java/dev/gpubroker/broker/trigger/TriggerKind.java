package dev.gpubroker.broker.trigger;

import java.util.Locale;

/** Whose pipelines are started. Wire names in lower case. */
enum TriggerKind {
    GITHUB_REPOSITORY_DISPATCH,
    GITHUB_WORKFLOW_DISPATCH,
    GITLAB_PIPELINE,
    JENKINS_BUILD,
    GENERIC;

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    static TriggerKind ofWireName(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
