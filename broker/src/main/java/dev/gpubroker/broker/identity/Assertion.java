package dev.gpubroker.broker.identity;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.nimbusds.jose.JWSAlgorithm;
import dev.gpubroker.broker.http.ApiJson;
import dev.gpubroker.broker.identity.RefusedToken.Check;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * An OIDC token that was read and not yet believed.
 *
 * @param compact as it came
 * @param id by which a second exchange of it is told; see {@link #idOf}
 */
record Assertion(String compact, JWSAlgorithm algorithm, String keyId, String issuer, String id, Claims claims) {
    /** Clocks of issuers may differ from ours by so much. */
    static final Duration SKEW = Duration.ofSeconds(60);

    static final int LONGEST = 16 * 1024;
    private static final int LONGEST_ID = 255;
    /** Begins the id of a token that has none of its own. */
    private static final String DIGEST = "sha-256:";

    /** Signatures by a key that only the issuer has; {@code none} and the shared secrets of HS256 are not among them. */
    private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(
            JWSAlgorithm.RS256,
            JWSAlgorithm.RS384,
            JWSAlgorithm.RS512,
            JWSAlgorithm.PS256,
            JWSAlgorithm.PS384,
            JWSAlgorithm.PS512,
            JWSAlgorithm.ES256,
            JWSAlgorithm.ES384,
            JWSAlgorithm.ES512);

    private static final Pattern COMPACT = Pattern.compile("([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]+)\\.([A-Za-z0-9_-]*)");
    private static final List<String> TIMES = List.of("exp", "iat");

    /** @throws RefusedToken unless it has the form of a signed token with an issuer, a key and an end */
    static Assertion read(String token) {
        if (token.length() > LONGEST) {
            throw RefusedToken.because(Check.SIZE);
        }
        Matcher parts = COMPACT.matcher(token);
        if (!parts.matches() || !isCanonical(parts)) {
            throw RefusedToken.because(Check.FORM);
        }
        ObjectNode header = json(parts.group(1));
        Claims claims = new Claims(json(parts.group(2)));
        JsonNode named = header.path("alg");
        JWSAlgorithm algorithm = ALGORITHMS.stream()
                .filter(known -> named.isTextual() && known.getName().equals(named.textValue()))
                .findFirst()
                .orElseThrow(() -> RefusedToken.because(Check.ALGORITHM));
        if (header.has("crit")) {
            throw RefusedToken.because(Check.CRITICAL);
        }
        JsonNode type = header.get("typ");
        if (type != null && !(type.isTextual() && type.textValue().equalsIgnoreCase("JWT"))) {
            throw RefusedToken.because(Check.FORM);
        }
        String issuer = textOf(claims.json(), "iss", Check.ISSUER);
        if (TIMES.stream().anyMatch(name -> claims.instant(name) == null)
                || (claims.json().has("nbf") && claims.instant("nbf") == null)) {
            throw RefusedToken.because(Check.EXPIRY);
        }
        String id = idOf(claims.json(), token.substring(0, parts.end(2)));
        return new Assertion(token, algorithm, textOf(header, "kid", Check.KEY_ID), issuer, id, claims);
    }

    /**
     * What its issuer calls it ({@code jti}), or, where the issuer names none, the digest of what was signed. The signature is
     * left out: whoever has a token signed by ECDSA can make a second signature of it that is as good, without the key.
     */
    private static String idOf(ObjectNode claims, String signed) {
        if (!claims.has("jti")) {
            return DIGEST + Base64.getUrlEncoder().withoutPadding().encodeToString(sha256(signed));
        }
        String id = textOf(claims, "jti", Check.ID);
        if (id.length() > LONGEST_ID) {
            throw RefusedToken.because(Check.ID);
        }
        return id;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java has SHA-256", missing);
        }
    }

    /** Whether no part can be written otherwise: the last letter of base64 has bits that most readers pass over. */
    private static boolean isCanonical(Matcher parts) {
        try {
            return IntStream.rangeClosed(1, parts.groupCount())
                    .mapToObj(parts::group)
                    .allMatch(part -> Base64.getUrlEncoder()
                            .withoutPadding()
                            .encodeToString(Base64.getUrlDecoder().decode(part))
                            .equals(part));
        } catch (IllegalArgumentException notBase64) {
            return false;
        }
    }

    private static String textOf(ObjectNode json, String name, Check check) {
        JsonNode value = json.path(name);
        if (!value.isTextual()
                || value.textValue().isEmpty()
                || value.textValue().indexOf('\0') >= 0) {
            throw RefusedToken.because(check);
        }
        return value.textValue();
    }

    /** Read strictly: a member that comes twice could be one thing to us and another to somebody else. */
    private static ObjectNode json(String part) {
        try {
            JsonNode json = ApiJson.mapper().readTree(Base64.getUrlDecoder().decode(part));
            if (json instanceof ObjectNode object) {
                return object;
            }
        } catch (IOException | IllegalArgumentException notJson) {
            // Told below: what it says is not worth a word.
        }
        throw RefusedToken.because(Check.FORM);
    }

    Instant expiresAt() {
        return requireNonNull(claims.instant("exp"), "read only with it");
    }

    /**
     * Whether now is within its time.
     *
     * @param longest how long tokens of its kind may live
     * @throws RefusedToken if it is not
     */
    void checkTimes(Instant now, Duration longest) {
        Instant issued = requireNonNull(claims.instant("iat"), "read only with it");
        Instant begins = requireNonNullElse(claims.instant("nbf"), issued);
        if (!now.isBefore(expiresAt().plus(SKEW))) {
            throw RefusedToken.because(Check.EXPIRED);
        }
        if (begins.isAfter(now.plus(SKEW))) {
            throw RefusedToken.because(Check.NOT_YET);
        }
        if (issued.isAfter(now.plus(SKEW))) {
            throw RefusedToken.because(Check.FUTURE);
        }
        if (Duration.between(issued, expiresAt()).compareTo(longest) > 0 || !issued.isBefore(expiresAt())) {
            throw RefusedToken.because(Check.LIFETIME);
        }
    }

    @Override
    public String toString() {
        return "an OIDC token";
    }
}
