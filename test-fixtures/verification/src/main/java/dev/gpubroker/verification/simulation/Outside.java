package dev.gpubroker.verification.simulation;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.platform.Providers;
import dev.gpubroker.simulator.SimulatorFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Whoever else uses the same accounts: people, another installation, or this one before its database was restored. Buys and
 * ends machines past the broker.
 */
final class Outside implements AutoCloseable {
    private final Platforms platforms;
    private final InstantSource businessTime;
    private final Wire wire;
    private final Map<String, PlatformAdapter> adapters = new TreeMap<>();
    private int number;

    Outside(Platforms platforms, InstantSource businessTime, Wire wire) {
        this.platforms = platforms;
        this.businessTime = businessTime;
        this.wire = wire;
    }

    private static final Duration STAY = Duration.ofDays(20);

    /** What was bought past the broker: on which platform, under which key, and when it ends by itself where machines do. */
    record Bought(String platform, ClaimKey key, Instant end) {}

    /** One machine with the mark of {@code installation}; empty if the platform sells none just now. */
    Optional<Bought> buy(String platform, Flavor flavor, String installation) {
        PlatformAdapter adapter = adapter(platform);
        Window window = Window.of(businessTime.instant(), STAY);
        ClaimKey key = new ClaimKey(
                String.format(Locale.ROOT, "gb-%s-%026d-1-0-%08x", installation, ++number, platform.hashCode()));
        try {
            List<Offer> offers = adapter.offers(new OfferQuery(List.of(new Ask(flavor, 1)), window, Set.of()))
                    .available();
            if (offers.isEmpty()) {
                return Optional.empty();
            }
            Offer offer = offers.get(0);
            String billing = adapter.price(new PriceQuery(offer, 1, window, MachineSpec.standard()))
                    .get(0)
                    .billing();
            wire.expect(key.text());
            ClaimOutcome outcome = adapter.claim(
                    new ClaimRequest(key, installation, offer, 1, window, billing, null, MachineSpec.standard(), null));
            return outcome instanceof ClaimOutcome.Refused
                    ? Optional.empty()
                    : Optional.of(new Bought(platform, key, window.end()));
        } catch (PlatformFault turnedAway) {
            return Optional.empty();
        }
    }

    /** Whether the platform's console shows something under the key; true as long as it cannot be asked. */
    boolean has(String platform, ClaimKey key) {
        return !(adapter(platform).find(key) instanceof Finding.NotListed);
    }

    /**
     * Ends what bears the key, as a person in the platform's console would.
     *
     * @return whether it is gone; what is just coming up may have to be ended again later
     */
    boolean end(String platform, ClaimKey key) {
        PlatformAdapter adapter = adapter(platform);
        try {
            return adapter.find(key) instanceof Finding.Found found
                    ? adapter.release(found.ref()) instanceof ReleaseProgress.Gone
                    : !has(platform, key);
        } catch (PlatformFault turnedAway) {
            return false;
        }
    }

    private PlatformAdapter adapter(String platform) {
        return adapters.computeIfAbsent(platform, this::connect);
    }

    private PlatformAdapter connect(String platform) {
        AdapterFactory factory = Providers.of(AdapterFactory.class).stream()
                .filter(each -> each.platform().equals(platform))
                .findFirst()
                .orElseThrow();
        SimulatorFactory simulator = Providers.of(SimulatorFactory.class).stream()
                .filter(each -> each.platform().equals(platform))
                .findFirst()
                .orElseThrow();
        return factory.create(new AccountSettings(
                platform + "-outside",
                "outside1",
                factory.defaultRegions(),
                platforms.url(platform),
                simulator.credentials(),
                simulator.options(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                true,
                businessTime));
    }

    @Override
    public void close() {
        adapters.values().forEach(PlatformAdapter::close);
    }
}
