package dev.gpubroker.adapter.contract;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimStore;
import dev.gpubroker.simulator.SimulatedPlatform;
import dev.gpubroker.simulator.SimulatorFactory;
import dev.gpubroker.simulator.SimulatorServer;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An adapter and the simulator behind it, over real HTTP on loopback. */
public final class SimulatedAccount implements AutoCloseable {
    /** A hanging call must not make a test slow, nor a slow machine make it fail. */
    private static final Duration TIMEOUT = Duration.ofMillis(3000);

    private final Vertx vertx;
    private final SimulatorServer server;
    private final AdapterFactory adapters;
    private final SimulatorFactory simulators;
    private final InstantSource businessTime;
    private final PlatformAdapter adapter;

    public SimulatedAccount(AdapterFactory adapters, SimulatorFactory simulators, InstantSource businessTime) {
        this.adapters = adapters;
        this.simulators = simulators;
        this.businessTime = businessTime;
        this.vertx = Vertx.vertx();
        SimulatedPlatform platform =
                simulators.create(new SimEnvironment(SimStore.inMemory(), businessTime, InstantSource.system()));
        try {
            this.server = SimulatorServer.start(vertx, platform)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
        } catch (Exception fault) {
            throw new IllegalStateException("the simulator did not start", fault);
        }
        this.adapter = adapterFor("inst0001", simulators.credentials(), server.url());
    }

    public PlatformAdapter adapter() {
        return adapter;
    }

    public SimulatedPlatform simulator() {
        return server.platform();
    }

    public URI url() {
        return server.url();
    }

    /** Where its machines answer. */
    public int sshPort() {
        return server.sshPort();
    }

    /** Another adapter on the same simulator: other installation, other credentials or another address. */
    public PlatformAdapter adapterFor(String installation, Map<String, String> credentials, URI endpoint) {
        Map<String, String> options = new HashMap<>(simulators.options());
        options.put("sshPort", String.valueOf(server.sshPort()));
        return adapters.create(new AccountSettings(
                "test",
                installation,
                adapters.defaultRegions(),
                endpoint,
                credentials,
                options,
                TIMEOUT,
                TIMEOUT,
                true,
                businessTime));
    }

    @Override
    public void close() {
        adapter.close();
        vertx.close();
    }
}
