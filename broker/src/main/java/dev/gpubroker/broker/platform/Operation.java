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

    /** Asked for a plan: many at once, and an answer that comes late is worth nothing. */
    boolean isForPlans() {
        return this == STOCK || this == PRICE || this == BALANCE;
    }

    /** Finds, follows or gives back what we may hold: delayed it costs money, so nothing shuts it off for long. */
    boolean isReturn() {
        return this == RELEASE || this == MOVE_END || this == FIND || this == STATUS || this == LIST;
    }

    /** Asks for capacity. */
    boolean isPurchase() {
        return this == CLAIM || this == LAUNCH;
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
