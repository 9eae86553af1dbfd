package dev.gpubroker.broker.planning;

import java.util.Locale;

/** How sure a plan is. The wire name is the constant in lower case. */
public enum Certainty {
    GUARANTEED,
    BEST_EFFORT,
    AS_CONFIRMED;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
