package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;

/** Knows one token, the administrator's. Compares digests, so that the time taken tells nothing about it. */
public final class AdminTokenAuthenticator implements Authenticator {
    private final byte[] digest;
    private final Caller caller;

    /**
     * @param token not blank
     * @param caller who holds it
     */
    public AdminTokenAuthenticator(String token, Caller caller) {
        if (token.isBlank()) {
            throw new IllegalArgumentException("an empty admin token would let everybody in");
        }
        this.digest = sha256(token);
        this.caller = requireNonNull(caller);
    }

    @Override
    public Future<Optional<Caller>> authenticate(String bearerToken) {
        boolean same = MessageDigest.isEqual(digest, sha256(bearerToken));
        return Future.succeededFuture(same ? Optional.of(caller) : Optional.empty());
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
