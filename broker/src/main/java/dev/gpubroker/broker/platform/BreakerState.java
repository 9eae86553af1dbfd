package dev.gpubroker.broker.platform;

import java.util.Locale;

/** How a breaker stands, from best to worst. The wire name is the constant in lower case. */
public enum BreakerState {
    CLOSED,
    /** One call may try whether the platform works again. */
    HALF_OPEN,
    OPEN;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
