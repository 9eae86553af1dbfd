package dev.gpubroker.broker.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import dev.gpubroker.broker.http.ApiJson;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** An OIDC issuer on loopback, with real keys, that makes tokens with the claims that GitHub and GitLab document. */
public final class TestIssuer implements AutoCloseable {
    /** Made once: it takes long. */
    static final RSAKey RSA = rsa("rsa-1", 2048);

    static final ECKey EC = ec("ec-1");

    private final HttpServer server;
    final List<String> asked = new CopyOnWriteArrayList<>();
    volatile List<? extends JWK> keys = List.of(RSA, EC);
    /** What discovery says instead of its own address. */
    volatile @Nullable String otherIssuer;

    volatile @Nullable String otherKeys;
    volatile boolean away;
    volatile boolean redirects;
    volatile int padding;
    /** What is served instead of {@link #keys}. */
    volatile @Nullable String jwks;

    public TestIssuer(Vertx vertx) {
        server = vertx.createHttpServer()
                .requestHandler(this::answer)
                .listen(0, "127.0.0.1")
                .await();
    }

    public String url() {
        return "http://127.0.0.1:" + server.actualPort();
    }

    private void answer(HttpServerRequest request) {
        asked.add(request.path());
        if (away) {
            request.response().setStatusCode(500).end();
        } else if (redirects && !request.path().startsWith("/moved")) {
            request.response()
                    .setStatusCode(302)
                    .putHeader("Location", url() + "/moved" + request.path())
                    .end();
        } else if (request.path().endsWith("/openid-configuration")) {
            String own = otherIssuer == null ? url() : otherIssuer;
            String jwks = otherKeys == null ? url() + "/keys" : otherKeys;
            request.response().end("{\"issuer\":\"" + own + "\",\"jwks_uri\":\"" + jwks + "\"}");
        } else {
            String served = jwks == null ? new JWKSet(List.copyOf(keys)).toString() : jwks;
            request.response().end(served + " ".repeat(padding));
        }
    }

    /** The claims in GitHub's own example, with what makes them a token of this issuer now. */
    public Map<String, Object> github(Instant now) {
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("jti", UUID.randomUUID().toString());
        claims.put("sub", "repo:octo-org/octo-repo:ref:refs/heads/main");
        claims.put("aud", "https://gpu.example.com");
        claims.put("ref", "refs/heads/main");
        claims.put("sha", "example-sha");
        claims.put("repository", "octo-org/octo-repo");
        claims.put("repository_owner", "octo-org");
        claims.put("actor_id", "12");
        claims.put("repository_visibility", "private");
        claims.put("repository_id", "74");
        claims.put("repository_owner_id", "65");
        claims.put("run_id", "1234");
        claims.put("run_number", "10");
        claims.put("run_attempt", "2");
        claims.put("runner_environment", "github-hosted");
        claims.put("actor", "octocat");
        claims.put("workflow", "example-workflow");
        claims.put("head_ref", "");
        claims.put("base_ref", "");
        claims.put("event_name", "workflow_dispatch");
        claims.put("ref_type", "branch");
        claims.put("ref_protected", "true");
        claims.put("job_workflow_ref", "octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main");
        times(claims, now, 300);
        return claims;
    }

    /** The claims in GitLab's own example; its runner's id is a number. */
    public Map<String, Object> gitlab(Instant now) {
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("namespace_id", "72");
        claims.put("namespace_path", "my-group");
        claims.put("project_id", "20");
        claims.put("project_path", "my-group/my-project");
        claims.put("user_id", "1");
        claims.put("user_login", "sample-user");
        claims.put("user_email", "sample-user@example.com");
        claims.put("user_identities", List.of(Map.of("provider", "github", "extern_uid", "2435223452345")));
        claims.put("pipeline_id", "574");
        claims.put("pipeline_source", "push");
        claims.put("job_id", "302");
        claims.put("ref", "main");
        claims.put("ref_type", "branch");
        claims.put("ref_path", "refs/heads/main");
        claims.put("ref_protected", "true");
        claims.put("runner_id", 1);
        claims.put("runner_environment", "self-hosted");
        claims.put("sha", "714a629c0b401fdce83e847fc9589983fc6f46bc");
        claims.put("jti", UUID.randomUUID().toString());
        claims.put("sub", "project_path:my-group/my-project:ref_type:branch:ref:main");
        claims.put("aud", "https://gpu.example.com");
        times(claims, now, 3600);
        return claims;
    }

    /**
     * The claims that the plugin oidc-provider of Jenkins gives a build, its templates left as they come: IdTokenCredentials.token
     * and IdTokenConfiguration at b5cde45 (April 2026). It has neither {@code jti} nor {@code nbf}, and a list of audiences.
     */
    public Map<String, Object> jenkins(Instant now, int build) {
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("iss", url());
        claims.put("aud", List.of("https://gpu.example.com"));
        claims.put("iat", now.getEpochSecond());
        claims.put("exp", now.getEpochSecond() + 3600);
        claims.put("sub", "https://jenkins.example.com/job/train/");
        claims.put("build_number", build);
        return claims;
    }

    /** As that plugin signs them: its credential's id is the key's. */
    static String signAsJenkins(Map<String, ?> claims, JWK key) {
        return sign(
                json(claims),
                new JWSHeader.Builder(JWSAlgorithm.RS256)
                        .keyID(key.getKeyID())
                        .type(com.nimbusds.jose.JOSEObjectType.JWT)
                        .build(),
                key);
    }

    /** As that plugin publishes a key: Java's bytes of the numbers, whose sign makes the modulus one byte longer than it is. */
    static String keysAsJenkins(RSAKey key) {
        return "{\"keys\":[{\"kid\":\"%s\",\"kty\":\"RSA\",\"alg\":\"RS256\",\"use\":\"sig\",\"n\":\"%s\",\"e\":\"%s\"}]}"
                .formatted(
                        key.getKeyID(),
                        javaBytes(key.getModulus().decodeToBigInteger()),
                        javaBytes(key.getPublicExponent().decodeToBigInteger()));
    }

    private static String javaBytes(java.math.BigInteger number) {
        return java.util.Base64.getUrlEncoder().withoutPadding().encodeToString(number.toByteArray());
    }

    private void times(Map<String, Object> claims, Instant now, long seconds) {
        claims.put("iss", url());
        claims.put("iat", now.getEpochSecond());
        claims.put("nbf", now.getEpochSecond() - 5);
        claims.put("exp", now.getEpochSecond() + seconds);
    }

    public static String sign(Map<String, ?> claims) {
        return sign(claims, RSA, JWSAlgorithm.RS256);
    }

    static String sign(Map<String, ?> claims, JWK key, JWSAlgorithm algorithm) {
        return sign(
                json(claims),
                new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(),
                key);
    }

    static String sign(String payload, JWSHeader header, JWK key) {
        try {
            JWSObject token = new JWSObject(header, new Payload(payload));
            JWSSigner signer = key instanceof RSAKey rsa ? new RSASSASigner(rsa) : new ECDSASigner(key.toECKey());
            token.sign(signer);
            return token.serialize();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The token with (r, n − s) in place of the signature (r, s) of ES256. */
    static String otherSignature(String token) {
        int end = token.lastIndexOf('.') + 1;
        byte[] signature = java.util.Base64.getUrlDecoder().decode(token.substring(end));
        java.math.BigInteger s = new java.math.BigInteger(1, java.util.Arrays.copyOfRange(signature, 32, 64));
        java.math.BigInteger order = Curve.P_256.toECParameterSpec().getOrder();
        byte[] other =
                order.subtract(s).add(java.math.BigInteger.ONE.shiftLeft(256)).toByteArray();
        System.arraycopy(other, other.length - 32, signature, 32, 32);
        return token.substring(0, end)
                + java.util.Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
    }

    static String json(Map<String, ?> claims) {
        try {
            return ApiJson.mapper().writeValueAsString(new HashMap<>(claims));
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    static RSAKey rsa(String id, int bits) {
        try {
            return new RSAKeyGenerator(bits, true).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    static ECKey ec(String id) {
        try {
            return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.close().await();
    }
}
