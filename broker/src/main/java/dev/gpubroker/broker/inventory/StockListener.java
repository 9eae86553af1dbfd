package dev.gpubroker.broker.inventory;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import java.time.Instant;
import java.util.List;

/** Told of every fresh answer, once; must not block and must not throw. */
@FunctionalInterface
interface StockListener {
    /**
     * Takes note of an answer.
     *
     * @param asked all flavors that the answer is about
     * @param at business time of the answer
     */
    void seen(AccountView account, String region, List<Ask> asked, Offers offers, Instant at);
}
