package dev.gpubroker.adapter.spi;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to an {@link OfferQuery}: what can be had, cheapest first where the platform says so, and why the rest
 * cannot. An ask in neither list is sold out.
 */
public record Offers(List<Offer> available, List<Missing> missing) {
    public Offers {
        available = List.copyOf(available);
        missing = List.copyOf(missing);
    }

    public static Offers none() {
        return new Offers(List.of(), List.of());
    }

    /**
     * A flavor that cannot be had, and why.
     *
     * @param detail the platform's own words or status, for a person; never a secret
     * @param backIn the wait that the platform itself states, or null
     */
    public record Missing(
            String sku,
            Flavor flavor,
            String region,
            Reason reason,
            String detail,
            @Nullable Duration backIn) {}
}
