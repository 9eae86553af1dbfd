package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.Tags;
import java.math.BigInteger;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a pool carries its claim key. Its name has 4 to 25 characters of {@code a-z 0-9 -} (API reference "Creating Resource Pools"), too
 * few for a key, so the name is made of the key's token; the key itself and the installation stand in the description.
 */
final class PoolName {
    private static final int DIGITS = 23; // 115 bits of the token, as letters and digits of base 32.

    static String of(ClaimKey key) {
        UUID token = key.token();
        BigInteger bits = new BigInteger(1, bytes(token)).shiftRight(128 - 5 * DIGITS);
        String digits = bits.toString(32);
        return "gb" + "0".repeat(DIGITS - digits.length()) + digits;
    }

    private static byte[] bytes(UUID token) {
        return java.nio.ByteBuffer.allocate(16)
                .putLong(token.getMostSignificantBits())
                .putLong(token.getLeastSignificantBits())
                .array();
    }

    static String description(String installation, ClaimKey key) {
        return Tags.INSTALLATION + "=" + installation + " " + Tags.CLAIM + "=" + key.text();
    }

    /** @return the value of one of our marks in a pool's description, or null */
    static @Nullable String mark(String description, String name) {
        for (String word : description.split("\\s+")) {
            if (word.startsWith(name + "=")) {
                return word.substring(name.length() + 1);
            }
        }
        return null;
    }

    static @Nullable ClaimKey key(String description) {
        String text = mark(description, Tags.CLAIM);
        try {
            return text == null ? null : new ClaimKey(text);
        } catch (IllegalArgumentException notOurs) {
            return null;
        }
    }

    private PoolName() {}
}
