package dev.gpubroker.adapter.spi;

import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an adapter needs to act for one account.
 *
 * @param id our name of the account, unique in the installation
 * @param installation marks everything that is bought
 * @param regions where to look and buy, in order of preference; at least one
 * @param endpoint replaces the platform's own addresses (a simulator's); null for the real platform
 * @param credentials by the names that the adapter's factory lists; never logged
 * @param options platform settings such as image, subnet, security group
 * @param queryTimeout longest wait for one read
 * @param claimTimeout longest wait for a claim or a release
 * @param simulated true behind a simulator: no minimum interval between reads
 * @param businessTime now, as bookings count it; signatures use wall time instead
 */
public record AccountSettings(
        String id,
        String installation,
        List<String> regions,
        @Nullable URI endpoint,
        Map<String, String> credentials,
        Map<String, String> options,
        Duration queryTimeout,
        Duration claimTimeout,
        boolean simulated,
        InstantSource businessTime) {
    public AccountSettings {
        regions = List.copyOf(regions);
        credentials = Map.copyOf(credentials);
        options = Map.copyOf(options);
        if (regions.isEmpty()) {
            throw new IllegalArgumentException("account " + id + " has no region");
        }
    }

    /** @throws IllegalArgumentException naming what is missing, never its value */
    public String credential(String name) {
        String value = credentials.get(name);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("account " + id + " lacks the credential '" + name + "'");
        }
        return value;
    }

    public String option(String name, String otherwise) {
        return options.getOrDefault(name, otherwise);
    }

    /**
     * The port on which machines answer SSH: option {@code sshPort}, else 22. For platforms that do not state one.
     *
     * @throws IllegalArgumentException if the option is no port
     */
    public int sshPort() {
        String port = option("sshPort", "22");
        if (!port.matches("\\d{1,5}") || Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65_535) {
            throw new IllegalArgumentException("account " + id + ": option 'sshPort' is '" + port + "' and no port");
        }
        return Integer.parseInt(port);
    }

    /** Leaves the credentials out: settings are printed in logs and errors. */
    @Override
    public String toString() {
        return "account " + id + " in " + regions;
    }
}
