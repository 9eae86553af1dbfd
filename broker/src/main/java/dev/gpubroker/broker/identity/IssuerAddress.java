package dev.gpubroker.broker.identity;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.Set;

/** Where keys may be fetched: over TLS, and, where platforms are simulated, from this machine without it. Pure. */
final class IssuerAddress {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final String DISCOVERY = "/.well-known/openid-configuration";

    private final boolean simulated;

    /** @param simulated whether {@code http} is taken from loopback addresses */
    IssuerAddress(boolean simulated) {
        this.simulated = simulated;
    }

    /** The address; empty if nothing may be fetched from it. */
    Optional<URI> of(String text) {
        try {
            URI address = new URI(text);
            boolean plain = address.getHost() != null
                    && address.getUserInfo() == null
                    && address.getQuery() == null
                    && address.getFragment() == null;
            boolean safe = "https".equals(address.getScheme())
                    || ("http".equals(address.getScheme())
                            && simulated
                            && LOOPBACK.contains(String.valueOf(address.getHost())));
            return plain && safe ? Optional.of(address) : Optional.empty();
        } catch (URISyntaxException noAddress) {
            return Optional.empty();
        }
    }

    /** Where an issuer describes itself (OpenID Connect Discovery 1.0, section 4). */
    Optional<URI> discovery(String issuer) {
        return of(issuer).flatMap(address -> of(issuer.replaceFirst("/$", "") + DISCOVERY));
    }

    /** Keys come from the host that the administrator named, so that an issuer cannot send us anywhere else. */
    Optional<URI> keys(String issuer, String named) {
        return of(named)
                .filter(keys ->
                        of(issuer).filter(own -> isSameOrigin(own, keys)).isPresent());
    }

    private static boolean isSameOrigin(URI one, URI other) {
        return one.getScheme().equals(other.getScheme())
                && one.getHost().equalsIgnoreCase(other.getHost())
                && port(one) == port(other);
    }

    private static int port(URI address) {
        if (address.getPort() >= 0) {
            return address.getPort();
        }
        return "https".equals(address.getScheme()) ? 443 : 80;
    }
}
