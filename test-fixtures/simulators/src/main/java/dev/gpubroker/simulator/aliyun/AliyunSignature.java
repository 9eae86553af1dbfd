package dev.gpubroker.simulator.aliyun;

import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Checks {@code ACS3-HMAC-SHA256}: every header that says what is asked must be signed, the body must be the one that was
 * hashed, the date within 15 minutes (the figure is unverified) and the nonce new.
 */
final class AliyunSignature {
    static final String KEY_ID = "LTAI5tSimulatedKeyOfBroker";
    static final String KEY_SECRET = "simulated-aliyun-secret";
    static final String UNPRIVILEGED_KEY_ID = "LTAI5tSimulatedKeyOfNobody";
    static final String UNPRIVILEGED_KEY_SECRET = "simulated-aliyun-secret-of-nobody";

    private static final Map<String, String> SECRETS =
            Map.of(KEY_ID, KEY_SECRET, UNPRIVILEGED_KEY_ID, UNPRIVILEGED_KEY_SECRET);
    private static final String ALGORITHM = "ACS3-HMAC-SHA256";
    private static final Pattern AUTHORIZATION =
            Pattern.compile(ALGORITHM + " Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)");
    private static final Set<String> MUST_BE_SIGNED = Set.of(
            "host", "x-acs-action", "x-acs-version", "x-acs-date", "x-acs-signature-nonce", "x-acs-content-sha256");
    private static final Duration OLDEST = Duration.ofMinutes(15);

    private AliyunSignature() {}

    /** @return the key that signed the request, or "" */
    static String keyId(SimRequest request) {
        Matcher authorization = AUTHORIZATION.matcher(request.header("authorization"));
        return authorization.matches() ? authorization.group(1) : "";
    }

    /** @param isFresh remembers nonces; asked only when everything else is right */
    static Optional<SimReply> refuse(SimRequest request, Instant wallNow, Predicate<String> isFresh) {
        Matcher authorization = AUTHORIZATION.matcher(request.header("authorization"));
        if (!authorization.matches()) {
            return AliyunReplies.refused(400, "IncompleteSignature", "The request signature does not conform.");
        }
        List<String> signed = Arrays.asList(authorization.group(2).split(";"));
        if (!signed.containsAll(MUST_BE_SIGNED)) {
            return AliyunReplies.refused(400, "IncompleteSignature", "A header that must be signed is not.");
        }
        String secret = SECRETS.get(authorization.group(1));
        if (secret == null) {
            return AliyunReplies.refused(404, "InvalidAccessKeyId.NotFound", "Specified access key is not found.");
        }
        if (!isRecent(request.header("x-acs-date"), wallNow)) {
            return AliyunReplies.refused(
                    400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.");
        }
        if (!request.header("x-acs-content-sha256").equals(hex(sha256(request.body())))
                || !authorization.group(3).equals(signature(request, signed, secret))) {
            return AliyunReplies.refused(
                    400, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation.");
        }
        if (!isFresh.test(request.header("x-acs-signature-nonce"))) {
            return AliyunReplies.refused(400, "SignatureNonceUsed", "Specified signature nonce was used already.");
        }
        return Optional.empty();
    }

    private static boolean isRecent(String date, Instant wallNow) {
        try {
            return Duration.between(Instant.parse(date), wallNow).abs().compareTo(OLDEST) <= 0;
        } catch (DateTimeParseException unreadable) {
            return false;
        }
    }

    private static String signature(SimRequest request, List<String> signed, String secret) {
        String headers = signed.stream()
                .sorted()
                .map(name -> name + ":" + request.header(name).strip() + "\n")
                .collect(Collectors.joining());
        String canonical = String.join(
                "\n",
                request.method(),
                request.path(),
                canonicalQuery(request.query()),
                headers,
                signed.stream().sorted().collect(Collectors.joining(";")),
                request.header("x-acs-content-sha256"));
        String toSign = ALGORITHM + "\n" + hex(sha256(canonical.getBytes(StandardCharsets.UTF_8)));
        return hex(hmac(secret, toSign));
    }

    private static String canonicalQuery(Map<String, String> query) {
        return new TreeMap<>(query)
                .entrySet().stream()
                        .map(entry -> encode(entry.getKey()) + "=" + encode(entry.getValue()))
                        .collect(Collectors.joining("&"));
    }

    /** RFC 3986. */
    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }

    private static byte[] hmac(String secret, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has HmacSHA256", missing);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
