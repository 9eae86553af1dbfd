package dev.gpubroker.broker.inventory;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import dev.gpubroker.broker.platform.Operation;
import dev.gpubroker.broker.platform.Platforms;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Stock and prices from platforms, each question asked once at a time and not again while its answer is young. */
final class Reads {
    private final Platforms platforms;
    private final InstantSource businessTime;
    private final InstantSource wall;
    private final StockListener listener;
    private final SharedReads<StockKey, Stocked> stocks;
    private final SharedReads<PriceKey, List<Price>> prices;

    /** @param at business time at which it came */
    record Stocked(Offers offers, Instant at) {}

    /** @param window null where only today's stock is sold: then it makes no difference */
    private record StockKey(
            String account,
            String region,
            Set<Ask> asks,
            @Nullable Window window) {}

    private record PriceKey(String account, String offerId, int nodes, Window window, MachineSpec machine) {}

    Reads(Platforms platforms, InstantSource businessTime, InstantSource wall, StockListener listener) {
        this.platforms = platforms;
        this.businessTime = businessTime;
        this.wall = wall;
        this.listener = listener;
        this.stocks = new SharedReads<>(wall);
        this.prices = new SharedReads<>(wall);
    }

    InstantSource businessTime() {
        return businessTime;
    }

    InstantSource wall() {
        return wall;
    }

    Future<Stocked> stock(AccountView account, String region, List<Ask> asks, Window window) {
        boolean forward = account.capabilities().forward() != null;
        StockKey key = new StockKey(account.id(), region, Set.copyOf(asks), forward ? window : null);
        OfferQuery query = new OfferQuery(asks, window, Set.of(region));
        return here(stocks.get(
                key,
                account.capabilities().minInterval(),
                () -> platforms
                        .call(account.id(), region, Operation.STOCK, adapter -> adapter.offers(query))
                        .map(offers -> new Stocked(offers, businessTime.instant()))
                        .onSuccess(seen -> listener.seen(account, region, asks, seen.offers(), seen.at()))));
    }

    Future<List<Price>> price(AccountView account, String region, PriceChoice.Target target, MachineSpec machine) {
        PriceKey key = new PriceKey(account.id(), target.offer().id(), target.nodes(), target.window(), machine);
        PriceQuery query = new PriceQuery(target.offer(), target.nodes(), target.window(), machine);
        return here(prices.get(
                key,
                account.capabilities().minInterval(),
                () -> platforms.call(account.id(), region, Operation.PRICE, adapter -> adapter.price(query))));
    }

    /** Back on the asker's own context: a shared read ends on that of whoever asked first. */
    private static <T> Future<T> here(Future<T> shared) {
        Context context = Vertx.currentContext();
        return context == null ? shared : Future.fromCompletionStage(shared.toCompletionStage(), context);
    }

    void discard() {
        stocks.discard();
        prices.discard();
    }
}
