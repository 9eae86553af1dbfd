package dev.gpubroker.broker.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Addresses that begin with the same bits.
 *
 * @param base its first bytes; the bits behind the prefix are 0
 */
public record Network(String text, byte[] base, int prefix) {
    /**
     * Reads {@code 10.0.0.0/8}, {@code fd00::/8} or a single address.
     *
     * @throws IllegalArgumentException if it is none, or has bits behind its prefix, which is a slip of the pen
     */
    public static Network of(String text) {
        String[] parts = text.strip().split("/", -1);
        // Only literals, or the name would be asked of the resolver.
        if (parts.length > 2 || !parts[0].matches("\\d{1,3}(\\.\\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")) {
            throw new IllegalArgumentException("not a network: " + text);
        }
        byte[] base;
        try {
            base = InetAddress.getByName(parts[0]).getAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("not a network: " + text, e);
        }
        int bits = base.length * 8;
        if (parts.length == 2 && !parts[1].matches("\\d{1,3}")) {
            throw new IllegalArgumentException("not a network: " + text);
        }
        int prefix = parts.length == 2 ? Integer.parseInt(parts[1]) : bits;
        if (prefix > bits || !Arrays.equals(base, masked(base, prefix))) {
            throw new IllegalArgumentException("not a network: " + text);
        }
        return new Network(text.strip(), base, prefix);
    }

    public boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == base.length && Arrays.equals(base, masked(bytes, prefix));
    }

    /** Whether they have an address in common: of two networks one then lies in the other. */
    public boolean overlaps(Network other) {
        int shorter = Math.min(prefix, other.prefix);
        return base.length == other.base.length && Arrays.equals(masked(base, shorter), masked(other.base, shorter));
    }

    private static byte[] masked(byte[] address, int prefix) {
        byte[] masked = address.clone();
        for (int bit = prefix; bit < masked.length * 8; bit++) {
            masked[bit / 8] &= (byte) ~(0x80 >> (bit % 8));
        }
        return masked;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Network network && prefix == network.prefix && Arrays.equals(base, network.base);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(base) + prefix;
    }

    @Override
    public String toString() {
        return text;
    }
}
