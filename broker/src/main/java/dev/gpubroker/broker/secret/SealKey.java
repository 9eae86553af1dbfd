package dev.gpubroker.broker.secret;

import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.config.StartException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** One key of AES-256-GCM, and the name by which a sealed text tells which key it was. */
final class SealKey {
    static final int BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKey key;
    private final String id;

    private SealKey(byte[] key) {
        this.key = new SecretKeySpec(key, "AES");
        this.id = idOf(key);
    }

    /**
     * @param key 32 bytes in base64, in either alphabet
     * @param where it comes from, for whoever has to put it right
     */
    static SealKey of(Secret key, String where) {
        String text = key.value().replace('+', '-').replace('/', '_').replaceAll("=+$", "");
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            bytes = new byte[0];
        }
        if (bytes.length != BYTES) {
            throw new StartException(where
                    + " is no key. A key is 32 random bytes in base64, as 'openssl rand -base64 32' prints them.");
        }
        return new SealKey(bytes);
    }

    /** Tells keys apart and says nothing of them. */
    String id() {
        return id;
    }

    /** Nonce, ciphertext and tag. */
    byte[] seal(byte[] place, byte[] text) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        byte[] sealed = run(Cipher.ENCRYPT_MODE, nonce, place, text);
        byte[] whole = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
        System.arraycopy(sealed, 0, whole, NONCE_BYTES, sealed.length);
        return whole;
    }

    /** @throws IllegalStateException if it was sealed for another place, or is damaged */
    byte[] open(byte[] place, byte[] whole) {
        byte[] nonce = Arrays.copyOf(whole, NONCE_BYTES);
        byte[] sealed = Arrays.copyOfRange(whole, Math.min(NONCE_BYTES, whole.length), whole.length);
        return run(Cipher.DECRYPT_MODE, nonce, place, sealed);
    }

    private byte[] run(int mode, byte[] nonce, byte[] place, byte[] input) {
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            cipher.updateAAD(place);
            return cipher.doFinal(input);
        } catch (GeneralSecurityException fault) {
            throw new IllegalStateException("a secret cannot be sealed or opened", fault);
        }
    }

    private static String idOf(byte[] key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update("gpu-broker key id".getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(key), 0, 4);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java has SHA-256", missing);
        }
    }
}
