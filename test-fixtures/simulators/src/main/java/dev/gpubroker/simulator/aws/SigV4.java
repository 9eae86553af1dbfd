package dev.gpubroker.simulator.aws;

import dev.gpubroker.simulator.SimRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * AWS Signature Version 4 as the receiving side computes it: canonical request, string to sign, derived key. It has no
 * nonce: AWS accepts the same signed request twice within its 15 minutes, and so does this.
 */
final class SigV4 {
    static final Duration FRESH = Duration.ofMinutes(15);
    private static final Pattern AUTHORIZATION = Pattern.compile(
            "AWS4-HMAC-SHA256 Credential=([^/,]+)/(\\d{8})/([^/,]+)/([^/,]+)/aws4_request,\\s*SignedHeaders=([^,]+),\\s*Signature=([0-9a-f]{64})");
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT);

    /** Why a request is not believed: an EC2 error code and its HTTP status. */
    record Refusal(int status, String code, String message) {}

    private SigV4() {}

    /** The region in the credential's scope, "" if there is none. */
    static String region(SimRequest request) {
        Matcher matcher = AUTHORIZATION.matcher(request.header("authorization"));
        return matcher.matches() ? matcher.group(3) : "";
    }

    static Optional<Refusal> check(
            SimRequest request, String service, String accessKey, String secretKey, Instant wallNow) {
        if (request.header("authorization").isEmpty()) {
            return refuse(403, "MissingAuthenticationToken", "The request must contain valid credentials.");
        }
        Matcher parts = AUTHORIZATION.matcher(request.header("authorization"));
        if (!parts.matches()) {
            return refuse(403, "IncompleteSignature", "The request signature does not conform to AWS standards.");
        }
        String stamp = request.header("x-amz-date");
        Instant signedAt;
        try {
            signedAt = LocalDateTime.parse(stamp, STAMP).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException unreadable) {
            return refuse(403, "IncompleteSignature", "Date must be in ISO-8601 'basic format'.");
        }
        if (Duration.between(signedAt, wallNow).abs().compareTo(FRESH) > 0) {
            return refuse(400, "RequestExpired", "Request has expired.");
        }
        if (!parts.group(1).equals(accessKey)) {
            return refuse(401, "AuthFailure", "AWS was not able to validate the provided access credentials");
        }
        String signature = parts.group(6);
        boolean scoped = parts.group(4).equals(service) && stamp.startsWith(parts.group(2));
        boolean host = Arrays.asList(parts.group(5).split(";")).contains("host");
        if (!scoped
                || !host
                || !isBodyAsSigned(request)
                || !signature(request, parts, secretKey, stamp).equals(signature)) {
            return refuse(
                    403,
                    "SignatureDoesNotMatch",
                    "The request signature we calculated does not match the signature you provided.");
        }
        return Optional.empty();
    }

    private static Optional<Refusal> refuse(int status, String code, String message) {
        return Optional.of(new Refusal(status, code, message));
    }

    private static boolean isBodyAsSigned(SimRequest request) {
        String stated = request.header("x-amz-content-sha256");
        return stated.isEmpty() || stated.equals("UNSIGNED-PAYLOAD") || stated.equals(sha256(request.body()));
    }

    private static String signature(SimRequest request, Matcher parts, String secretKey, String stamp) {
        String scope = parts.group(2) + "/" + parts.group(3) + "/" + parts.group(4) + "/aws4_request";
        String toSign = "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n"
                + sha256(canonical(request, parts.group(5)).getBytes(StandardCharsets.UTF_8));
        byte[] key = hmac(("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8), parts.group(2));
        key = hmac(hmac(hmac(key, parts.group(3)), parts.group(4)), "aws4_request");
        return HexFormat.of().formatHex(hmac(key, toSign));
    }

    private static String canonical(SimRequest request, String signedHeaders) {
        String query = request.rawQuery().isEmpty()
                ? ""
                : Arrays.stream(request.rawQuery().split("&"))
                        .map(pair -> pair.contains("=") ? pair : pair + "=")
                        .sorted()
                        .collect(Collectors.joining("&"));
        StringBuilder headers = new StringBuilder();
        for (String name : signedHeaders.split(";")) {
            headers.append(name)
                    .append(':')
                    .append(request.header(name).strip().replaceAll(" +", " "))
                    .append('\n');
        }
        String stated = request.header("x-amz-content-sha256");
        String payload = stated.isEmpty() ? sha256(request.body()) : stated;
        String path = request.path().isEmpty() ? "/" : request.path();
        return request.method() + "\n" + path + "\n" + query + "\n" + headers + "\n" + signedHeaders + "\n" + payload;
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has HmacSHA256", missing);
        }
    }
}
