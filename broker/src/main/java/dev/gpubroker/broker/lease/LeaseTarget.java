package dev.gpubroker.broker.lease;

import java.util.Locale;
import java.util.Set;

/**
 * What a lease wants GPUs of.
 *
 * @param id of the reservation or the pool; of a model its name as the catalogue writes it
 * @param name as it is shown
 * @param models names of models that serve, as machines carry them; empty = whatever the reservation has
 */
public record LeaseTarget(Kind kind, String id, String name, Set<String> models) {
    public LeaseTarget {
        models = Set.copyOf(models);
    }

    public enum Kind {
        RESERVATION,
        POOL,
        /** Any reservation of the team that lets leases in, and any of its pools. */
        MODEL;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Kind ofWireName(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT));
        }
    }

    /** Whether own pools may serve it. */
    boolean usesPools() {
        return kind != Kind.RESERVATION;
    }
}
