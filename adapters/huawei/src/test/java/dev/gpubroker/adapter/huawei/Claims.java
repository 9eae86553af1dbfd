package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.simulator.huawei.HuaweiSimulatorFactory;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Claims and accounts for tests that do without a quote. */
final class Claims {
    static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    static final Offer SERVER =
            Offer.now("p2vs.16xlarge.8", new Flavor("V100-SXM2-32GB", 8), "cn-north-4", "cn-north-4b", Stock.plenty());
    static final Offer POOL =
            Offer.now("modelarts.bm.snt9.xlarge.8", new Flavor("Ascend-910A", 8), "cn-north-4", null, Stock.plenty());

    static ClaimRequest server(ClaimKey key, int nodes) {
        return of(key, SERVER, nodes);
    }

    static ClaimRequest pool(ClaimKey key, int nodes) {
        return of(key, POOL, nodes);
    }

    private static ClaimRequest of(ClaimKey key, Offer offer, int nodes) {
        return new ClaimRequest(
                key,
                "inst0001",
                offer,
                nodes,
                Window.of(NOW, Duration.ofDays(5)),
                Prices.BILLING,
                null,
                MachineSpec.standard(),
                null);
    }

    static AccountSettings settings(String endpoint) {
        return settings(endpoint, Map.of(), InstantSource.fixed(NOW));
    }

    static PlatformAdapter adapter(String endpoint, Map<String, String> options, InstantSource businessTime) {
        return new HuaweiAdapterFactory().create(settings(endpoint, options, businessTime));
    }

    /** @param changes options on top of the simulator's; an empty value takes one away */
    private static AccountSettings settings(String endpoint, Map<String, String> changes, InstantSource businessTime) {
        HuaweiSimulatorFactory simulator = new HuaweiSimulatorFactory();
        Map<String, String> options = new HashMap<>(simulator.options());
        options.putAll(changes);
        return new AccountSettings(
                "test",
                "inst0001",
                List.of("cn-north-4"),
                URI.create(endpoint),
                simulator.credentials(),
                options,
                TIMEOUT,
                TIMEOUT,
                true,
                businessTime);
    }

    private Claims() {}
}
