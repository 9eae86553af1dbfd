package dev.gpubroker.broker.webhook;

import java.util.List;

/** What an endpoint can ask for. One it misspelt would never come, so unknown ones are refused. */
final class Topics {
    static final String SWITCHED_OFF = "webhook.switched_off";

    static final List<String> KNOWN = List.of(
            "reservation.queued",
            "reservation.offered",
            "reservation.ordering",
            "reservation.confirmed",
            "reservation.provisioning",
            "reservation.active",
            "reservation.releasing",
            "reservation.completed",
            "reservation.cancelled",
            "reservation.failed",
            "reservation.no_show",
            "reservation.expired",
            "reservation.changed",
            "reservation.ends_soon",
            SWITCHED_OFF);

    private Topics() {}
}
