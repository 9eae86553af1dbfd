package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.SupportsBalance;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import okhttp3.ConnectionPool;
import org.jspecify.annotations.Nullable;

/**
 * Huawei Cloud: NVIDIA cards as ECS servers, Ascend as ModelArts pools, both by the hour from today's stock. The platform takes a claim
 * on first and knows later whether there is capacity, hence {@link ClaimOutcome.Accepted}.
 */
class HuaweiAdapter implements PlatformAdapter, SupportsBalance {
    private final AccountSettings settings;
    private final HuaweiServices services;
    private final Capabilities capabilities;
    private final Map<String, HuaweiClient> clients = new ConcurrentHashMap<>();
    private final ConnectionPool connections = new ConnectionPool(5, 30, TimeUnit.SECONDS);
    private final CallGuard guard;
    private final Prices prices;
    private final Pools pools;
    final Servers servers;

    HuaweiAdapter(AccountSettings settings, HuaweiServices services) {
        this.settings = settings;
        this.services = services;
        this.capabilities = HuaweiShapes.capabilities(
                services, settings.queryTimeout(), settings.claimTimeout(), settings.simulated());
        this.guard = new CallGuard(settings.id());
        this.prices = new Prices(settings);
        this.pools = new Pools(settings);
        this.servers = new Servers(settings);
        settings.regions().forEach(this::client); // Now, since the SDK takes its time and a quote has little of it.
    }

    @Override
    public final Capabilities capabilities() {
        return capabilities;
    }

    // ---- offers and price -------------------------------------------------------------------------------

    /** Asks one service or both of a region, as the flavors want; the two lists are the only calls. */
    @Override
    public final Offers offers(OfferQuery query) {
        Gathering gathering = new Gathering();
        for (String region : settings.regions()) {
            if (query.regions().isEmpty() || query.regions().contains(region)) {
                gathering.ask(region, wanted(query, HuaweiShapes::servers, services.useServers()), servers::offers);
                gathering.ask(region, wanted(query, HuaweiShapes::pools, services.usePools()), pools::offers);
            }
        }
        return gathering.offers();
    }

    private static List<Shape> wanted(
            OfferQuery query, Function<dev.gpubroker.adapter.spi.Flavor, List<Shape>> shapes, boolean used) {
        return used
                ? query.asks().stream()
                        .map(Ask::flavor)
                        .distinct()
                        .flatMap(flavor -> shapes.apply(flavor).stream())
                        .toList()
                : List.of();
    }

    /** One list of flavors of one region. */
    private interface Shelf {
        void offers(HuaweiClient client, List<Shape> wanted, List<Offer> available, List<Offers.Missing> missing);
    }

    /** A list that does not answer costs only what it would have held, unless there is no other. */
    private final class Gathering {
        private final List<Offer> available = new ArrayList<>();
        private final List<Offers.Missing> missing = new ArrayList<>();
        private int answers;
        private @Nullable PlatformFault firstFault;

        void ask(String region, List<Shape> wanted, Shelf shelf) {
            if (wanted.isEmpty()) {
                return;
            }
            try {
                shelf.offers(client(region), wanted, available, missing);
                answers++;
            } catch (WireFault wireFault) {
                PlatformFault fault = HuaweiMapping.fault(wireFault);
                firstFault = firstFault == null ? fault : firstFault;
                wanted.forEach(shape -> missing.add(new Offers.Missing(
                        shape.sku(),
                        shape.flavor(),
                        region,
                        fault.reason(),
                        String.valueOf(fault.getMessage()),
                        null)));
            }
        }

        Offers offers() {
            if (answers == 0 && firstFault != null) {
                throw firstFault;
            }
            return new Offers(available, missing);
        }
    }

    @Override
    public final List<Price> price(PriceQuery query) {
        return read(() -> List.of(prices.price(client(query.offer().region()), query)));
    }

    @Override
    public final Money balance() {
        return read(() -> Prices.balance(client(settings.regions().get(0))));
    }

    // ---- the claim --------------------------------------------------------------------------------------

    @Override
    public final ClaimOutcome claim(ClaimRequest request) {
        HuaweiClient client = client(request.offer().region());
        return HuaweiShapes.isServer(request.offer().sku())
                ? servers.claim(client, request)
                : pools.claim(client, request);
    }

    @Override
    public final ClaimStatus status(PlatformRef ref) {
        return read(() -> ref.kind().equals(Pools.POOL)
                ? pools.status(client(ref.region()), ref)
                : servers.status(client(ref.region()), ref));
    }

    /** Looks in every region of the account and in each service that it uses; what cannot be asked leaves a doubt, unless it is found elsewhere. */
    @Override
    public final Finding find(ClaimKey key) {
        List<String> doubts = new ArrayList<>();
        for (String region : settings.regions()) {
            Optional<Finding.Found> found = Optional.empty();
            if (services.useServers()) {
                found = search(() -> servers.find(client(region), key), doubts);
            }
            if (found.isEmpty() && services.usePools()) {
                found = search(() -> pools.find(client(region), key), doubts);
            }
            if (found.isPresent()) {
                return found.get();
            }
        }
        return doubts.isEmpty() ? new Finding.NotListed() : new Finding.CannotTell(String.join("; ", doubts));
    }

    private static Optional<Finding.Found> search(Supplier<Optional<Finding.Found>> place, List<String> doubts) {
        try {
            return place.get();
        } catch (WireFault fault) {
            doubts.add(fault.words());
            return Optional.empty();
        }
    }

    @Override
    public final List<Holding> list(String installation) {
        return read(() -> {
            List<Holding> holdings = new ArrayList<>();
            for (String region : settings.regions()) {
                if (services.useServers()) {
                    holdings.addAll(servers.list(client(region), installation));
                }
                if (services.usePools()) {
                    holdings.addAll(pools.list(client(region), installation));
                }
            }
            return holdings;
        });
    }

    @Override
    public final ReleaseProgress release(PlatformRef ref) {
        return ref.kind().equals(Pools.POOL)
                ? pools.release(client(ref.region()), ref)
                : servers.release(client(ref.region()), ref);
    }

    static <T> T read(Supplier<T> call) {
        try {
            return call.get();
        } catch (WireFault fault) {
            throw HuaweiMapping.fault(fault);
        }
    }

    final HuaweiClient client(String region) {
        return clients.computeIfAbsent(region, name -> new HuaweiClient(settings, name, guard, connections));
    }

    @Override
    public final void close() {
        guard.close();
        connections.evictAll();
    }
}
