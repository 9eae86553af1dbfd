package dev.gpubroker.broker.platform;

import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.SupportsBalance;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/** An adapter whose answers a test lays down; until then it has nothing. */
public final class FakeAdapter implements PlatformAdapter, SupportsBalance {
    private static final String A100 = "A100-SXM4-80GB";

    public final AtomicInteger offerCalls = new AtomicInteger();
    public final AtomicInteger priceCalls = new AtomicInteger();
    public volatile Function<OfferQuery, Offers> offers = query -> Offers.none();
    public volatile Function<PriceQuery, List<Price>> prices = query -> List.of();
    public volatile Supplier<Money> balance = () -> Money.of("100.00", "CNY");
    private final Capabilities capabilities;

    public FakeAdapter(Capabilities capabilities) {
        this.capabilities = capabilities;
    }

    /** Sells machines of 8×A100 from stock. */
    public static FakeAdapter selling(String platform) {
        return new FakeAdapter(sellsA100(platform).build());
    }

    public static Capabilities.Builder sellsA100(String platform) {
        return Capabilities.of(platform, platform, "CNY")
                .shapes(List.of(new Shape("sku-a100", new Flavor(A100, 8), 80, "nvlink", Set.of())))
                .minInterval(java.time.Duration.ZERO);
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public Offers offers(OfferQuery query) {
        offerCalls.incrementAndGet();
        return offers.apply(query);
    }

    @Override
    public List<Price> price(PriceQuery query) {
        priceCalls.incrementAndGet();
        return prices.apply(query);
    }

    @Override
    public ClaimOutcome claim(ClaimRequest request) {
        throw new UnsupportedOperationException("tests pass their own calls");
    }

    @Override
    public ClaimStatus status(PlatformRef ref) {
        throw new UnsupportedOperationException("tests pass their own calls");
    }

    @Override
    public Finding find(ClaimKey key) {
        throw new UnsupportedOperationException("tests pass their own calls");
    }

    @Override
    public List<Holding> list(String installation) {
        throw new UnsupportedOperationException("tests pass their own calls");
    }

    @Override
    public ReleaseProgress release(PlatformRef ref) {
        throw new UnsupportedOperationException("tests pass their own calls");
    }

    @Override
    public Money balance() {
        return balance.get();
    }
}
