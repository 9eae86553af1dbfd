package dev.gpubroker.broker.stored;

import java.security.SecureRandom;
import java.time.Instant;

/**
 * Makes ids: a prefix, {@code _}, and a UUIDv7 in 26 characters of base32 (digits and lower-case letters without i, l, o,
 * u). Sorted by creation, the same text in URL, log and table.
 */
public final class Ids {
    private static final char[] ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();
    private static final SecureRandom RANDOM = new SecureRandom();

    private Ids() {}

    /** @param wall when; ids of one millisecond are in no order */
    public static String next(String prefix, Instant wall) {
        long millis = wall.toEpochMilli();
        long high = (millis << 16) | 0x7000L | (RANDOM.nextLong() & 0x0FFFL);
        long low = (RANDOM.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        return prefix + "_" + base32(high, low);
    }

    private static String base32(long high, long low) {
        char[] text = new char[26];
        for (int i = 25; i >= 0; i--) {
            text[i] = ALPHABET[(int) (low & 31)];
            low = (low >>> 5) | (high << 59);
            high >>>= 5;
        }
        return new String(text);
    }
}
