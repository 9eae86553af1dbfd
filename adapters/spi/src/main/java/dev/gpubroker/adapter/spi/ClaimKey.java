package dev.gpubroker.adapter.spi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Names one attempt to take capacity, for ever: it is in our ledger before the platform is called, and on the platform in
 * a tag, a name or a note, so that whatever was taken can be found again. 8 to 63 characters of {@code a-z 0-9 -}.
 */
public record ClaimKey(String text) {
    private static final Pattern SHAPE = Pattern.compile("[a-z0-9][a-z0-9-]{6,61}[a-z0-9]");
    /** RFC 9562 name space of our own: a UUIDv5 of {@code gpu-broker} in the URL name space. */
    private static final UUID NAME_SPACE = UUID.fromString("1874d0b5-b7cc-5f40-b9ea-b1833696b86a");

    public ClaimKey {
        if (!SHAPE.matcher(text).matches()) {
            throw new IllegalArgumentException("not a claim key: " + text);
        }
    }

    /** The idempotency token for platforms that take one: a UUIDv5 of the key, the same in every process. */
    public UUID token() {
        byte[] hash = sha1().digest(ByteBuffer.allocate(16 + text.length())
                .putLong(NAME_SPACE.getMostSignificantBits())
                .putLong(NAME_SPACE.getLeastSignificantBits())
                .put(text.getBytes(StandardCharsets.US_ASCII))
                .array());
        ByteBuffer bytes = ByteBuffer.wrap(hash);
        long high = (bytes.getLong() & ~0xF000L) | 0x5000L;
        long low = (bytes.getLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        return new UUID(high, low);
    }

    private static MessageDigest sha1() {
        try {
            return MessageDigest.getInstance("SHA-1"); // What RFC 9562 asks of version 5; no secret hangs on it.
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has SHA-1", missing);
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
