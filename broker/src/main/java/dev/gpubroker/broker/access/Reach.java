package dev.gpubroker.broker.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Which addresses a check may connect to. A platform that names this very computer, or the network card's own services, would
 * make the broker talk to what is no machine of anybody; a simulator's machines are nowhere else.
 */
enum Reach {
    /** A machine of a real platform. */
    PLATFORM,
    /** A machine of a simulated platform: on this computer. */
    SIMULATED,
    /** A machine that the pool's owner named. */
    OWN;

    /** Cloud metadata; not in any range that Java has a word for. */
    private static final List<String> METADATA = List.of("100.100.100.200", "fd00:ec2:0:0:0:0:0:254");

    /**
     * Resolves a name and refuses what may not be connected to.
     *
     * @throws UnknownHostException if the name is not known
     * @throws IllegalArgumentException saying why it is refused
     */
    InetAddress resolve(String host) throws UnknownHostException {
        InetAddress address = InetAddress.getByName(host);
        if (!allows(address)) {
            throw new IllegalArgumentException(host + " is no address of a machine");
        }
        return address;
    }

    boolean allows(InetAddress address) {
        if (address.isAnyLocalAddress()
                || address.isLinkLocalAddress()
                || address.isMulticastAddress()
                || METADATA.contains(address.getHostAddress())) {
            return false;
        }
        return this == OWN || address.isLoopbackAddress() == (this == SIMULATED);
    }

    /** Whether it can only be reached from inside some network: silence there says little. */
    static boolean isPrivate(InetAddress address) {
        byte[] bytes = address.getAddress();
        boolean shared = bytes.length == 4 && (bytes[0] & 0xff) == 100 && (bytes[1] & 0xc0) == 64; // RFC 6598
        boolean unique = address instanceof Inet6Address && (bytes[0] & 0xfe) == 0xfc; // RFC 4193
        return address.isSiteLocalAddress() || shared || unique;
    }
}
