package dev.gpubroker.broker.net;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** What may be done with an address: public ones are called, private ones where the operator says so, the rest never. */
public enum AddressKind {
    PUBLIC,
    /** Somebody's own network: callable if the operator lists it. */
    PRIVATE,
    /** The machine itself: callable if the operator lists it and nothing real is at stake. */
    LOOPBACK,
    /** Where clouds tell a machine its secrets, and what is no place at all. */
    NEVER;

    /** Of the special-purpose registries of IANA, read November 2026. */
    private static final List<Network> PRIVATE_NETWORKS = networks(
            "10.0.0.0/8",
            "100.64.0.0/10", // carriers' own
            "169.254.0.0/16", // link-local
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24", // documentation
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15", // benchmarks
            "198.51.100.0/24",
            "203.0.113.0/24",
            "2001::/23", // protocols, Teredo among them, which hides an IPv4 address
            "2001:db8::/32",
            "2002::/16", // 6to4, which does too
            "3fff::/20");

    private static final List<Network> NEVER_NETWORKS = networks(
            "0.0.0.0/8",
            "224.0.0.0/4", // multicast
            "240.0.0.0/4",
            "::/128",
            "ff00::/8",
            "169.254.169.254/32", // metadata of most clouds
            "169.254.170.2/32", // of AWS containers
            "100.100.100.200/32", // of Alibaba
            "168.63.129.16/32", // of Azure, in a public range
            "192.0.0.192/32", // of Oracle
            "fd00:ec2::254/128"); // of AWS

    private static final List<Network> LOOPBACK_NETWORKS = networks("127.0.0.0/8", "::1/128");
    private static final Network GLOBAL_IPV6 = Network.of("2000::/3");
    /** How hosts without IPv4 write an IPv4 address: its last four bytes. */
    private static final Network NAT64 = Network.of("64:ff9b::/96");

    public static AddressKind of(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 16 && (NAT64.contains(address) || isMapped(bytes))) {
            return of(ipv4(Arrays.copyOfRange(bytes, 12, 16)));
        }
        if (isIn(NEVER_NETWORKS, address)) {
            return NEVER;
        }
        if (isIn(LOOPBACK_NETWORKS, address)) {
            return LOOPBACK;
        }
        boolean global = address instanceof Inet4Address || GLOBAL_IPV6.contains(address);
        return global && !isIn(PRIVATE_NETWORKS, address) ? PUBLIC : PRIVATE;
    }

    static boolean hasLoopback(Network network) {
        return LOOPBACK_NETWORKS.stream().anyMatch(network::overlaps);
    }

    private static boolean isIn(List<Network> networks, InetAddress address) {
        return networks.stream().anyMatch(network -> network.contains(address));
    }

    /** {@code ::ffff:10.0.0.1}; Java unwraps it by itself where it reads text, not where it reads bytes of a resolver. */
    private static boolean isMapped(byte[] bytes) {
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[10] == -1 && bytes[11] == -1;
    }

    private static InetAddress ipv4(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    private static List<Network> networks(String... texts) {
        return Arrays.stream(texts).map(Network::of).toList();
    }
}
