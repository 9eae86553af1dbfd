package dev.gpubroker.broker.access;

import dev.gpubroker.adapter.spi.PlatformRef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A machine of a reservation, and what is known of it.
 *
 * @param name for people; the platform's id of a bought one
 * @param account null for own machines
 * @param ref the claim's, for questions to the platform
 * @param readiness null if it was never asked about
 */
record Machine(
        String nodeId,
        String name,
        String model,
        List<Integer> gpus,
        Login login,
        @Nullable String account,
        @Nullable String region,
        @Nullable PlatformRef ref,
        boolean callsHome,
        boolean calledHome,
        @Nullable State readiness,
        String detail,
        @Nullable String hostKey) {
    /** By its name on the wire. */
    enum State {
        PENDING,
        READY,
        UNVERIFIED;

        String wireName() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        static State ofWireName(String name) {
            return valueOf(name.toUpperCase(java.util.Locale.ROOT));
        }
    }

    Machine withGpus(List<Integer> others) {
        return new Machine(
                nodeId,
                name,
                model,
                others,
                login,
                account,
                region,
                ref,
                callsHome,
                calledHome,
                readiness,
                detail,
                hostKey);
    }

    boolean isOwn() {
        return account == null;
    }
}
