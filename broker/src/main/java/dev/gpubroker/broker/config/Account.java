package dev.gpubroker.broker.config;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Our account on one platform.
 *
 * @param id our name of it, unique in the installation
 * @param platform the platform's id, as its adapter is named
 * @param regions where to look and buy, in order of preference; at least one
 * @param credentials by the names that the platform's adapter lists
 * @param options platform settings such as image or subnet
 * @param endpoint replaces the platform's own addresses; null for the real platform
 */
public record Account(
        String id,
        String platform,
        List<String> regions,
        Map<String, Secret> credentials,
        Map<String, String> options,
        Purchases purchases,
        Caps caps,
        @Nullable URI endpoint,
        MachineSettings machines) {
    /** With nothing said of its machines. */
    public Account(
            String id,
            String platform,
            List<String> regions,
            Map<String, Secret> credentials,
            Map<String, String> options,
            Purchases purchases,
            Caps caps,
            @Nullable URI endpoint) {
        this(id, platform, regions, credentials, options, purchases, caps, endpoint, MachineSettings.NONE);
    }

    public Account {
        regions = List.copyOf(regions);
        credentials = Map.copyOf(credentials);
        options = Map.copyOf(options);
    }

    /**
     * Whether real money is at stake. Only an endpoint on this very machine counts as simulated: any other address may be
     * one of a platform's own.
     */
    public boolean isReal() {
        return endpoint == null || !isLoopback(endpoint.getHost());
    }

    private static boolean isLoopback(@Nullable String host) {
        if (host == null) {
            return false;
        }
        String name = host.toLowerCase(Locale.ROOT);
        return name.equals("localhost") || name.equals("[::1]") || name.matches("127(\\.\\d{1,3}){3}");
    }

    /** The same account with what may change while the broker runs taken from {@code other}. */
    Account reloadedFrom(Account other) {
        return new Account(
                id, platform, regions, credentials, options, other.purchases, other.caps, endpoint, machines);
    }
}
