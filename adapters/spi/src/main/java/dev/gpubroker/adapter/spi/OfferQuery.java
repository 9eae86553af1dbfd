package dev.gpubroker.adapter.spi;

import java.util.List;
import java.util.Set;

/**
 * What the broker wants to know in one call; the adapter answers every ask, in every region of the account that the
 * query allows.
 *
 * @param asks flavors that {@link Capabilities#shapes()} lists, each with the number of machines wanted
 * @param window when they are wanted; only platforms that sell forward look at it
 * @param regions the only regions of interest; empty means all regions of the account
 */
public record OfferQuery(List<Ask> asks, Window window, Set<String> regions) {
    public OfferQuery {
        asks = List.copyOf(asks);
        regions = Set.copyOf(regions);
    }
}
