package dev.gpubroker.broker.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** {@code v1,} and the base64 of HMAC-SHA256 over {@code id.timestamp.body}, once for each key, with a space between. */
final class Signature {
    private Signature() {}

    /** @param timestamp seconds since 1970 */
    static String of(List<byte[]> keys, String id, long timestamp, String body) {
        byte[] signed = (id + "." + timestamp + "." + body).getBytes(StandardCharsets.UTF_8);
        return keys.stream().map(key -> "v1," + hmac(key, signed)).collect(Collectors.joining(" "));
    }

    private static String hmac(byte[] key, byte[] signed) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return Base64.getEncoder().encodeToString(mac.doFinal(signed));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has HmacSHA256", missing);
        }
    }
}
