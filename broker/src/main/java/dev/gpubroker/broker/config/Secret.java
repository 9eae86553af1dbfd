package dev.gpubroker.broker.config;

import static java.util.Objects.requireNonNull;

/** A password, token or key. Prints as dots, so that it cannot slip into a log with the record that holds it. */
public record Secret(String value) {
    public Secret {
        requireNonNull(value, "value");
    }

    @Override
    public String toString() {
        return "•••";
    }
}
