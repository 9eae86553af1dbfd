package dev.gpubroker.broker.inventory;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.request.MachineWish;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;

/** Asks every platform at once. */
public interface Inventory {
    /**
     * Offers and prices of everything asked, from every account that sells it, within the deadline (2 s). An account that
     * is silent at the deadline is in the snapshot with its reason; the future itself fails only with a fault of our own.
     */
    Future<Snapshot> snapshot(Query query);

    /**
     * @param asks every exact model and shape of interest; an account is asked for those its capabilities list
     * @param window of the request; platforms that sell from stock are priced for its length
     * @param platforms the only platforms to ask; empty = all
     * @param regions the only regions to ask; empty = all
     * @param priceSoldOut also price what is sold out, where the platform can do that
     */
    record Query(
            List<Ask> asks,
            Window window,
            Set<String> platforms,
            Set<String> regions,
            MachineWish machine,
            boolean priceSoldOut) {
        public Query {
            asks = List.copyOf(asks);
            platforms = Set.copyOf(platforms);
            regions = Set.copyOf(regions);
        }
    }
}
