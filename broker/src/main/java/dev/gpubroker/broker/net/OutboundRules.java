package dev.gpubroker.broker.net;

import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Where calls to addresses that users name may go.
 *
 * @param allowHttp whether also without TLS
 * @param ports none means the usual ones: 443 and 8443, without TLS 80 and 8080 too
 * @param allowNetworks private networks that may be called as well
 */
public record OutboundRules(boolean allowHttp, List<Ports> ports, List<Network> allowNetworks) {
    public static final OutboundRules STRICT = new OutboundRules(false, List.of(), List.of());

    private static final int LONGEST_URL = 2000;

    public OutboundRules {
        ports = List.copyOf(ports);
        allowNetworks = List.copyOf(allowNetworks);
    }

    /** A span of ports, both ends included. */
    public record Ports(int first, int last) {
        public Ports {
            if (first < 1 || last > 65_535 || first > last) {
                throw new IllegalArgumentException("not ports: " + first + "-" + last);
            }
        }
    }

    /** Whether one of the allowed networks is this machine itself. */
    public boolean allowsLoopback() {
        return allowNetworks.stream().anyMatch(AddressKind::hasLoopback);
    }

    /** What is wrong with the address as it is written; empty if nothing is. */
    Optional<RefusedAddress> whyNot(URI url) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        if (url.toString().length() > LONGEST_URL) {
            return refused("it is longer than " + LONGEST_URL + " characters", "超过 " + LONGEST_URL + " 个字符");
        }
        if (url.getHost() == null) {
            return refused("it names no host", "没有主机名");
        }
        if (url.getRawUserInfo() != null || url.getRawFragment() != null) {
            return refused("it holds a user, a password or a fragment", "含有用户名、密码或片段");
        }
        if (!scheme.equals("https") && !(scheme.equals("http") && allowHttp)) {
            return allowHttp
                    ? refused("it is neither http nor https", "不是 http 或 https")
                    : refused("it is not https", "不是 https");
        }
        int port = portOf(url);
        return isAllowed(port) ? Optional.empty() : refused("port " + port + " is not allowed", "不允许端口 " + port);
    }

    private static Optional<RefusedAddress> refused(String why, String whyZh) {
        return Optional.of(new RefusedAddress(why, whyZh));
    }

    static int portOf(URI url) {
        return url.getPort() >= 0 ? url.getPort() : isTls(url) ? 443 : 80;
    }

    static boolean isTls(URI url) {
        return "https".equalsIgnoreCase(url.getScheme());
    }

    private boolean isAllowed(int port) {
        if (ports.isEmpty()) {
            return port == 443 || port == 8443 || (allowHttp && (port == 80 || port == 8080));
        }
        return ports.stream().anyMatch(span -> span.first() <= port && port <= span.last());
    }

    boolean allows(InetAddress address) {
        return switch (AddressKind.of(address)) {
            case PUBLIC -> true;
            case NEVER -> false;
            case PRIVATE, LOOPBACK -> allowNetworks.stream().anyMatch(network -> network.contains(address));
        };
    }
}
