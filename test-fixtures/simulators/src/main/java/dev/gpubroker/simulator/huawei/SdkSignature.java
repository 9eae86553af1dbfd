package dev.gpubroker.simulator.huawei;

import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Checks {@code SDK-HMAC-SHA256}: the signature over method, path, query, signed headers and body, and that {@code X-Sdk-Date}
 * is within 15 minutes of wall time. The scheme has no nonce, so a replay within that time passes, as on the platform.
 */
final class SdkSignature {
    static final String ACCESS_KEY = "SIMULATEDHUAWEIAK001";
    static final String SECRET_KEY = "simulated-huawei-secret-key-000000000000";
    static final String PROJECT_ID = "0f5c6a7b8d9e4f10a2b3c4d5e6f70819";
    static final String DOMAIN_ID = "4a6b8c0d2e4f60718293a4b5c6d7e8f9";

    private static final Duration FRESH = Duration.ofMinutes(15);
    private static final Pattern AUTHORIZATION =
            Pattern.compile("SDK-HMAC-SHA256 Access=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})");
    private static final DateTimeFormatter SDK_DATE = DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT);

    /** @return the gateway's refusal, or empty if the request is signed, fresh and for our project or domain */
    static Optional<SimReply> refusal(SimRequest request, Instant wallNow) {
        Matcher authorization = AUTHORIZATION.matcher(request.header("authorization"));
        if (!authorization.matches()) {
            return refused("authorization is absent or not SDK-HMAC-SHA256");
        }
        if (!authorization.group(1).equals(ACCESS_KEY)) {
            return refused("the access key does not exist");
        }
        List<String> signed = List.of(authorization.group(2).split(";"));
        if (!signed.contains("host") || !signed.contains("x-sdk-date")) {
            return refused("host and x-sdk-date must be signed");
        }
        if (!isFresh(request.header("x-sdk-date"), wallNow)) {
            return refused("x-sdk-date is expired");
        }
        byte[] expected = signature(request, signed).getBytes(StandardCharsets.US_ASCII);
        if (!MessageDigest.isEqual(expected, authorization.group(3).getBytes(StandardCharsets.US_ASCII))) {
            return refused("verify aksk signature fail");
        }
        return scope(request);
    }

    private static Optional<SimReply> scope(SimRequest request) {
        String domain = request.header("x-domain-id");
        String[] path = request.path().split("/");
        boolean billing = path.length > 2 && (path[2].equals("bills") || path[2].equals("accounts"));
        if (billing ? !domain.equals(DOMAIN_ID) : path.length < 3 || !path[2].equals(PROJECT_ID)) {
            return Optional.of(Replies.gateway(403, "APIGW.0302", "The project or domain is not the caller's."));
        }
        return Optional.empty();
    }

    private static boolean isFresh(String date, Instant wallNow) {
        try {
            Instant stamped = LocalDateTime.parse(date, SDK_DATE).toInstant(ZoneOffset.UTC);
            return Duration.between(stamped, wallNow).abs().compareTo(FRESH) <= 0;
        } catch (DateTimeException unreadable) {
            return false;
        }
    }

    static String signature(SimRequest request, List<String> signedHeaders) {
        String canonical = String.join(
                "\n",
                request.method(),
                path(request.path()),
                query(request.rawQuery()),
                signedHeaders.stream()
                        .map(name -> name + ":" + request.header(name).strip() + "\n")
                        .collect(Collectors.joining()),
                String.join(";", signedHeaders),
                sha256(request.body()));
        String toSign = "SDK-HMAC-SHA256\n"
                + request.header("x-sdk-date")
                + "\n"
                + sha256(canonical.getBytes(StandardCharsets.UTF_8));
        return hmac(toSign);
    }

    /** Each segment encoded, and a slash at the end. */
    private static String path(String path) {
        return Arrays.stream(path.split("/", -1))
                        .map(segment -> encode(URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8)))
                        .collect(Collectors.joining("/"))
                + (path.endsWith("/") ? "" : "/");
    }

    private static String query(String raw) {
        if (raw.isEmpty()) {
            return "";
        }
        return Arrays.stream(raw.split("&"))
                .map(pair -> pair.contains("=") ? pair : pair + "=")
                .map(pair -> pair.split("=", 2))
                .map(pair -> Map.entry(recode(pair[0]), recode(pair[1])))
                .sorted(Map.Entry.comparingByKey())
                .map(pair -> pair.getKey() + "=" + pair.getValue())
                .collect(Collectors.joining("&"));
    }

    private static String recode(String encoded) {
        return encode(URLDecoder.decode(encoded, StandardCharsets.UTF_8));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }

    private static String hmac(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET_KEY.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has HmacSHA256", missing);
        }
    }

    private static Optional<SimReply> refused(String why) {
        return Optional.of(Replies.gateway(401, "APIGW.0301", "Incorrect IAM authentication information: " + why));
    }

    private SdkSignature() {}
}
