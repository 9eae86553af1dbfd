package dev.gpubroker.broker.planning;

import java.util.Locale;

/** How a window is obtained. The wire name is the constant in lower case. */
public enum Acquisition {
    /** Own nodes, booked in our ledger. */
    POOL,
    /** The platform sells the future window. */
    FORWARD,
    /** Taken as soon as stock appears and idle until the start. */
    HOLD_EARLY,
    /** Taken at the start. */
    JUST_IN_TIME,
    /** A person orders it. */
    MANUAL;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
