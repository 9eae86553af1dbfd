package dev.gpubroker.simulator;

import java.util.Map;

/** Makes one simulated platform; found by {@link java.util.ServiceLoader}. */
public interface SimulatorFactory {
    /** The same id as the adapter's. */
    String platform();

    SimulatedPlatform create(SimEnvironment environment);

    /** Credentials that it accepts, by the names of the adapter's factory. */
    Map<String, String> credentials();

    /** Account options that go with it (image, subnet …), by the names that the adapter reads. */
    default Map<String, String> options() {
        return Map.of();
    }
}
