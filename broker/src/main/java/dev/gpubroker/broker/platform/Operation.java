package dev.gpubroker.broker.platform;

import java.util.Locale;

/** Kinds of calls, each with a breaker of its own: a cheap read that works says nothing of a purchase. */
public enum Operation {
    STOCK,
    PRICE,
    CLAIM,
    LAUNCH,
    STATUS,
    FIND,
    LIST,
    RELEASE,
    MOVE_END,
    BALANCE;

    /** Reads may be sent again; anything else is sent once. */
    boolean isRead() {
        return this == STOCK || this == PRICE || this == STATUS || this == FIND || this == LIST || this == BALANCE;
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
