package dev.gpubroker.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** What a caller sends as a bearer token: a prefix that tells its kind, and 256 random bits. Shown once, stored as a digest. */
final class Secret {
    /** Tokens, which an administrator makes. */
    static final String TOKEN = "gbt_";
    /** Tickets, which jobs get for an OIDC token. */
    static final String TICKET = "gbk_";

    private static final int BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String text;

    private Secret(String text) {
        this.text = text;
    }

    static Secret next(String prefix) {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return new Secret(prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    /** For the one answer that shows it. */
    String reveal() {
        return text;
    }

    byte[] digest() {
        return digestOf(text);
    }

    /** A plain digest is enough: nobody guesses 256 bits, so there is nothing to slow down. */
    static byte[] digestOf(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
