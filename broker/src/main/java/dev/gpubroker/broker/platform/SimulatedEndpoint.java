package dev.gpubroker.broker.platform;

import dev.gpubroker.broker.config.Secret;
import java.net.URI;
import java.util.Map;

/**
 * A simulated platform that an account can be made on.
 *
 * @param platform the adapter's id
 * @param url replaces the platform's own addresses
 * @param credentials that it accepts, by the names of the adapter's factory
 * @param options account options that go with it, by the names that the adapter reads
 */
public record SimulatedEndpoint(
        String platform, URI url, Map<String, Secret> credentials, Map<String, String> options) {
    public SimulatedEndpoint {
        credentials = Map.copyOf(credentials);
        options = Map.copyOf(options);
    }
}
