package dev.gpubroker.broker.lease;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** States of a lease and the one table of moves between them. Wire names in lower case. */
public enum LeaseState {
    /** Waits in line. */
    QUEUED,
    /** Has its GPUs, and its job lets hear of itself. */
    HELD,
    /** Has its GPUs still, but its job has not been heard of for a while. */
    STALE,
    /** Given back, or withdrawn while it waited; or nobody was heard of for too long. */
    RELEASED,
    /** The longest time it may hold has passed, or what it was held in has ended. */
    EXPIRED,
    /** Waited as long as it was willing to. */
    TIMED_OUT;

    private static final Set<LeaseState> ENDED = EnumSet.of(RELEASED, EXPIRED, TIMED_OUT);
    private static final Map<LeaseState, Set<LeaseState>> MOVES = new EnumMap<>(Map.of(
            QUEUED, EnumSet.of(HELD, RELEASED, EXPIRED, TIMED_OUT),
            HELD, EnumSet.of(STALE, RELEASED, EXPIRED),
            STALE, EnumSet.of(HELD, RELEASED, EXPIRED)));

    public boolean isEnded() {
        return ENDED.contains(this);
    }

    public boolean holds() {
        return this == HELD || this == STALE;
    }

    public boolean mayBecome(LeaseState next) {
        return MOVES.getOrDefault(this, Set.of()).contains(next);
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static LeaseState ofWireName(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
