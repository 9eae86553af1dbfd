package dev.gpubroker.broker.booking;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** States of a reservation and the one table of moves between them (drawn in ARCHITECTURE.md). Wire names in lower case. */
public enum ReservationState {
    QUEUED,
    OFFERED,
    ORDERING,
    CONFIRMED,
    PROVISIONING,
    ACTIVE,
    RELEASING,
    COMPLETED,
    CANCELLED,
    FAILED,
    NO_SHOW,
    EXPIRED;

    private static final Set<ReservationState> ENDED = EnumSet.of(COMPLETED, CANCELLED, FAILED, NO_SHOW, EXPIRED);
    private static final Map<ReservationState, Set<ReservationState>> MOVES = new EnumMap<>(Map.of(
            QUEUED, EnumSet.of(OFFERED, ORDERING, CONFIRMED, RELEASING, CANCELLED, EXPIRED, FAILED),
            OFFERED, EnumSet.of(QUEUED, ORDERING, CONFIRMED, RELEASING, CANCELLED, EXPIRED, FAILED),
            ORDERING, EnumSet.of(QUEUED, OFFERED, CONFIRMED, RELEASING, CANCELLED, EXPIRED, FAILED),
            CONFIRMED, EnumSet.of(ORDERING, PROVISIONING, RELEASING, CANCELLED, FAILED),
            PROVISIONING, EnumSet.of(ORDERING, ACTIVE, RELEASING, FAILED),
            ACTIVE, EnumSet.of(RELEASING),
            RELEASING, EnumSet.of(COMPLETED, CANCELLED, FAILED, NO_SHOW)));

    public boolean isEnded() {
        return ENDED.contains(this);
    }

    public boolean mayBecome(ReservationState next) {
        return MOVES.getOrDefault(this, Set.of()).contains(next);
    }

    /** Waiting: nothing is bought, nothing is being bought. */
    public boolean isWaiting() {
        return this == QUEUED || this == OFFERED;
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static ReservationState ofWireName(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
