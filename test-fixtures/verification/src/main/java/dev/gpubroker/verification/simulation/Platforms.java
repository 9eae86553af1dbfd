package dev.gpubroker.verification.simulation;

import dev.gpubroker.broker.platform.Providers;
import dev.gpubroker.simulator.Fault;
import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimStore;
import dev.gpubroker.simulator.SimulatedPlatform;
import dev.gpubroker.simulator.SimulatorControl;
import dev.gpubroker.simulator.SimulatorFactory;
import dev.gpubroker.simulator.SimulatorServer;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The simulated platforms of one seed. They live in this process, so that a broker may die and they do not. */
final class Platforms implements AutoCloseable {
    private final Map<String, SimulatorServer> servers;
    private final SimulatorControl control;
    private final InstantSource businessTime;
    /** Where something was made to go wrong since faults were last cleared. */
    private final Set<String> troubled = new TreeSet<>();
    /** When that was over, the last time. */
    private final Map<String, Instant> cured = new TreeMap<>();

    private Platforms(Map<String, SimulatorServer> servers, SimulatorControl control, InstantSource businessTime) {
        this.servers = servers;
        this.control = control;
        this.businessTime = businessTime;
    }

    /** A machine that a platform runs or ran. */
    record Machine(String platform, SimInstance row) {
        boolean isLive() {
            return row.isLive();
        }

        /** The claim key it bears; empty if it bears none. */
        String key() {
            return row.key() == null ? "" : row.key();
        }
    }

    /** @param names which of the platforms on the class path there are */
    static Platforms start(Vertx vertx, InstantSource businessTime, Set<String> names, Wire wire) {
        SimEnvironment environment = new SimEnvironment(SimStore.inMemory(), businessTime, InstantSource.system());
        Map<String, SimulatorServer> servers = new TreeMap<>();
        for (SimulatorFactory factory : Providers.of(SimulatorFactory.class)) {
            if (names.contains(factory.platform())) {
                SimulatedPlatform platform = factory.create(environment);
                platform.watch(wire);
                servers.put(
                        factory.platform(),
                        SimulatorServer.start(vertx, platform).await());
            }
        }
        SimulatorControl control =
                SimulatorControl.start(vertx, List.copyOf(servers.values()), 0).await();
        return new Platforms(servers, control, businessTime);
    }

    /** Where a broker finds them. */
    URI control() {
        return URI.create("http://127.0.0.1:" + control.port());
    }

    Set<String> names() {
        return servers.keySet();
    }

    URI url(String platform) {
        return server(platform).url();
    }

    private SimulatorServer server(String platform) {
        SimulatorServer server = servers.get(platform);
        if (server == null) {
            throw new IllegalArgumentException("there is no " + platform);
        }
        return server;
    }

    SimulatedPlatform on(String platform) {
        return server(platform).platform();
    }

    void fault(String platform, Fault fault) {
        troubled.add(platform);
        on(platform).addFault(fault);
    }

    void clearFaults() {
        servers.values().forEach(server -> server.platform().clearFaults());
        Instant now = businessTime.instant();
        troubled.forEach(platform -> cured.put(platform, now));
        troubled.clear();
    }

    /** From then on nothing was made to go wrong there; the far future if something still is. */
    Instant troubledUntil(String platform) {
        return troubled.contains(platform) ? Instant.MAX : cured.getOrDefault(platform, Instant.EPOCH);
    }

    List<Machine> machines() {
        List<Machine> all = new ArrayList<>();
        servers.forEach(
                (name, server) -> server.platform().instances().forEach(row -> all.add(new Machine(name, row))));
        return all;
    }

    @Override
    public void close() {
        control.stop().await();
        servers.values().forEach(server -> server.stop().await());
    }
}
