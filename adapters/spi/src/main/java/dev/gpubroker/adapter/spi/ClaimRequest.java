package dev.gpubroker.adapter.spi;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Asks a platform for capacity.
 *
 * @param installation goes into the tag {@link Tags#INSTALLATION}
 * @param offer as the adapter made it
 * @param nodes at most {@link Capabilities#nodesPerClaim()}
 * @param window when the capacity is wanted
 * @param billing as in the {@link Price} that was taken
 * @param timedEnd when the platform shall end the machines by itself if the broker does not; null where it cannot
 * @param atMost nothing may be bought above this; adapters that see the price in the claim check it, null = no limit
 */
public record ClaimRequest(
        ClaimKey key,
        String installation,
        Offer offer,
        int nodes,
        Window window,
        String billing,
        @Nullable Instant timedEnd,
        MachineSpec machine,
        @Nullable Money atMost) {}
