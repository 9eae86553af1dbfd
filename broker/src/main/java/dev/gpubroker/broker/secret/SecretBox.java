package dev.gpubroker.broker.secret;

import dev.gpubroker.broker.config.PrivateFile;
import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals texts with AES-256-GCM. A sealed text is {@code v1.<key id>.<base64url of nonce, ciphertext and tag>}; it opens only at
 * the table and id that it was sealed for, so that a row copied over another one is noticed.
 */
public final class SecretBox {
    private static final String VERSION = "v1";
    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SecretKey key;
    private final String keyId;

    private SecretBox(byte[] key) {
        this.key = new SecretKeySpec(key, "AES");
        this.keyId = idOf(key);
    }

    /**
     * The box of this installation. Its key is the one that the settings name, else the one in {@code secret.key} in the data
     * folder, which is made at the first start. Brokers that share a database must be given the same key.
     *
     * @param columns everything that is sealed
     * @return fails with {@link StartException} if the database holds texts that this key does not open
     */
    public static Future<SecretBox> open(Database database, Settings settings, List<SealedColumn> columns) {
        Path file = settings.data().resolve("secret.key");
        Secret set = settings.secretKey();
        if (set != null || Files.exists(file)) {
            SecretBox box = of(set != null ? set : PrivateFile.readOrMake(file, KEY_BYTES), set != null ? null : file);
            return isStrange(database, columns, box.keyId)
                    .compose(strange ->
                            strange ? Future.failedFuture(anotherKey(box.keyId)) : Future.succeededFuture(box));
        }
        // A key that is made although there are rows would only hide that the right one is missing.
        return isStrange(database, columns, "")
                .compose(rows -> rows
                        ? Future.failedFuture(anotherKey("none"))
                        : Future.succeededFuture(of(
                                PrivateFile.readOrMake(
                                        PrivateFile.folder(settings.data()).resolve("secret.key"), KEY_BYTES),
                                file)));
    }

    /** A box with this key: 32 bytes in base64, in either alphabet. */
    public static SecretBox of(Secret key) {
        return of(key, null);
    }

    private static SecretBox of(Secret key, @org.jspecify.annotations.Nullable Path file) {
        String text = key.value().replace('+', '-').replace('/', '_').replaceAll("=+$", "");
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            bytes = new byte[0];
        }
        if (bytes.length != KEY_BYTES) {
            throw new StartException((file == null ? "Setting 'GPU_BROKER_SECRET_KEY' (secretKey)" : "The file " + file)
                    + " is no key. A key is 32 random bytes in base64, as 'openssl rand -base64 32' prints them.");
        }
        return new SecretBox(bytes);
    }

    private static Future<Boolean> isStrange(Database database, List<SealedColumn> columns, String keyId) {
        Future<Boolean> strange = Future.succeededFuture(false);
        for (SealedColumn each : columns) {
            String sql = "-- secret.strange\nSELECT 1 FROM " + each.table() + " WHERE " + each.column()
                    + " IS NOT NULL AND split_part(" + each.column() + ", '.', 2) <> $1 LIMIT 1";
            strange = strange.compose(found -> found
                    ? Future.succeededFuture(true)
                    : database.pool()
                            .preparedQuery(sql)
                            .execute(Tuple.of(keyId))
                            .map(rows -> rows.size() > 0));
        }
        return strange;
    }

    private static StartException anotherKey(String id) {
        return new StartException(
                "The database holds secrets that were sealed with another key than this broker has (" + id
                        + "). Give it the right one: GPU_BROKER_SECRET_KEY, or the file secret.key in the data folder. Brokers that"
                        + " share a database share the key. If it is lost, delete what was sealed (docs/webhooks.md).");
    }

    /** @param table and {@code id}: where it will stand */
    public String seal(String table, String id, String secret) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        byte[] sealed = run(Cipher.ENCRYPT_MODE, nonce, place(table, id), secret.getBytes(StandardCharsets.UTF_8));
        byte[] whole = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
        System.arraycopy(sealed, 0, whole, NONCE_BYTES, sealed.length);
        return VERSION + "." + keyId + "."
                + Base64.getUrlEncoder().withoutPadding().encodeToString(whole);
    }

    /** @throws IllegalStateException if it was sealed with another key or for another place, or is damaged */
    public String open(String table, String id, String sealed) {
        String[] parts = sealed.split("\\.", -1);
        if (parts.length != 3 || !parts[0].equals(VERSION) || !parts[1].equals(keyId)) {
            throw new IllegalStateException("the secret of " + table + " " + id + " was not sealed with key " + keyId);
        }
        byte[] whole = Base64.getUrlDecoder().decode(parts[2]);
        byte[] nonce = Arrays.copyOf(whole, NONCE_BYTES);
        byte[] text =
                run(Cipher.DECRYPT_MODE, nonce, place(table, id), Arrays.copyOfRange(whole, NONCE_BYTES, whole.length));
        return new String(text, StandardCharsets.UTF_8);
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

    private byte[] place(String table, String id) {
        return (VERSION + "\n" + keyId + "\n" + table + "\n" + id).getBytes(StandardCharsets.UTF_8);
    }

    /** Tells keys apart and says nothing of them. */
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
