package dev.gpubroker.broker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.simulator.SimulatorFactory;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ShapesTest {
    @Test
    void everyModelThatAPlatformSellsIsInTheCatalogueUnderThatVeryId() {
        GpuCatalogue catalogue = GpuCatalogue.shipped();
        List<String> unknown = new ArrayList<>();
        List<SimulatorFactory> simulators = Providers.of(SimulatorFactory.class);
        assertThat(simulators).hasSizeGreaterThanOrEqualTo(4);
        for (AdapterFactory factory : Providers.of(AdapterFactory.class)) {
            SimulatorFactory simulator = simulators.stream()
                    .filter(each -> each.platform().equals(factory.platform()))
                    .findFirst()
                    .orElseThrow();
            try (PlatformAdapter adapter = factory.create(settings(factory, simulator))) {
                for (Shape shape : adapter.capabilities().shapes()) {
                    Optional<GpuModel> model = catalogue.model(shape.flavor().model());
                    if (model.isEmpty() || model.get().memoryGb() != shape.memoryGb()) {
                        unknown.add(factory.platform() + " " + shape);
                    }
                }
            }
        }
        assertThat(unknown).isEmpty();
    }

    private static AccountSettings settings(AdapterFactory factory, SimulatorFactory simulator) {
        return new AccountSettings(
                "test",
                "inst0001",
                factory.defaultRegions(),
                URI.create("http://127.0.0.1:9"),
                simulator.credentials(),
                simulator.options(),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                true,
                InstantSource.system());
    }
}
