package dev.gpubroker.broker.claim;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** How a claim stands in our ledger. Wire names in lower case. */
public enum ClaimState {
    /** Written down; sent or about to be. */
    INTENDED,
    /** Taken on by the platform, certain only later. */
    ACCEPTED,
    /** Ours. */
    CLAIMED,
    REFUSED,
    /** It may have been taken: being looked for. */
    UNKNOWN,
    /** Looked for long enough: it was never taken. */
    ABSENT,
    /** Being given back. */
    RELEASING,
    RELEASED;

    private static final Set<ClaimState> OPEN = EnumSet.of(INTENDED, ACCEPTED, CLAIMED, UNKNOWN, RELEASING);

    /** Something of it exists on the platform, or may. */
    public boolean isOpen() {
        return OPEN.contains(this);
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static ClaimState ofWireName(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
