package dev.gpubroker.broker.access;

import dev.gpubroker.broker.net.AddressKind;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

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
        AddressKind kind = AddressKind.of(address);
        if (kind == AddressKind.NEVER || address.isLinkLocalAddress()) {
            return false;
        }
        return this == OWN || (kind == AddressKind.LOOPBACK) == (this == SIMULATED);
    }

    /** Whether it can only be reached from inside some network: silence there says little. */
    static boolean isPrivate(InetAddress address) {
        byte[] bytes = address.getAddress();
        boolean shared = bytes.length == 4 && (bytes[0] & 0xff) == 100 && (bytes[1] & 0xc0) == 64; // RFC 6598
        boolean unique = address instanceof Inet6Address && (bytes[0] & 0xfe) == 0xfc; // RFC 4193
        return address.isSiteLocalAddress() || shared || unique;
    }
}
