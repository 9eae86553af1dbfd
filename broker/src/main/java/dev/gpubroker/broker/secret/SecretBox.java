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
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals texts with AES-256-GCM. A sealed text is {@code v1.<key id>.<base64url of nonce, ciphertext and tag>}; it opens only at
 * the table and id that it was sealed for, so that a row copied over another one is noticed.
 */
public final class SecretBox {
    private static final Logger LOG = LoggerFactory.getLogger(SecretBox.class);
    private static final String VERSION = "v1";
    private static final String SETTING = "Setting 'GPU_BROKER_SECRET_KEY' (secretKey)";
    private static final String OTHER_SETTING = "Setting 'GPU_BROKER_OTHER_SECRET_KEY' (otherSecretKey)";

    private final SealKey key;
    private final @Nullable SealKey other;

    private SecretBox(SealKey key, @Nullable SealKey other) {
        this.key = key;
        this.other = other;
    }

    /**
     * The box of this installation. Its key is the one that the settings name, else the one in {@code secret.key} in the data
     * folder, which is made at the first start. Brokers that share a database must be given the same key. What was sealed with
     * the other key of the settings is sealed anew with this one.
     *
     * @param columns everything that is sealed
     * @return fails with {@link StartException} if the database holds texts that neither key opens
     */
    public static Future<SecretBox> open(Database database, Settings settings, List<SealedColumn> columns) {
        Path file = settings.data().resolve("secret.key");
        Secret set = settings.secretKey();
        SealKey other = settings.otherSecretKey() == null ? null : SealKey.of(settings.otherSecretKey(), OTHER_SETTING);
        if (set == null && !Files.exists(file)) {
            // A key that is made although there are rows would only hide that the right one is missing.
            return isStrange(database, columns, ids(null, other))
                    .compose(strange -> strange
                            ? Future.failedFuture(anotherKey("none"))
                            : Future.succeededFuture(
                                    PrivateFile.folder(settings.data()).resolve("secret.key")))
                    .compose(fresh -> opened(database, columns, ofFile(fresh), other));
        }
        return opened(database, columns, set != null ? SealKey.of(set, SETTING) : ofFile(file), other);
    }

    private static SealKey ofFile(Path file) {
        return SealKey.of(PrivateFile.readOrMake(file, SealKey.BYTES), "The file " + file);
    }

    private static Future<SecretBox> opened(
            Database database, List<SealedColumn> columns, SealKey key, @Nullable SealKey other) {
        SecretBox box = new SecretBox(key, other);
        return isStrange(database, columns, ids(key, other))
                .compose(
                        strange -> strange ? Future.failedFuture(anotherKey(key.id())) : Future.<Void>succeededFuture())
                .compose(known -> other == null || other.id().equals(key.id())
                        ? Future.succeededFuture(0)
                        : new Resealing(database, columns).from(other.id(), box))
                .map(count -> {
                    if (other != null) {
                        LOG.info(
                                "{} secrets that were sealed with key {} are sealed with key {} now",
                                count,
                                other.id(),
                                key.id());
                    }
                    return box;
                });
    }

    /** A box with this key: 32 bytes in base64, in either alphabet. */
    public static SecretBox of(Secret key) {
        return new SecretBox(SealKey.of(key, SETTING), null);
    }

    private static String[] ids(@Nullable SealKey key, @Nullable SealKey other) {
        return Stream.of(key, other)
                .filter(java.util.Objects::nonNull)
                .map(SealKey::id)
                .toArray(String[]::new);
    }

    private static Future<Boolean> isStrange(Database database, List<SealedColumn> columns, String[] keyIds) {
        Future<Boolean> strange = Future.succeededFuture(false);
        for (SealedColumn each : columns) {
            String sql = "-- secret.strange\nSELECT 1 FROM " + each.table() + " WHERE " + each.column()
                    + " IS NOT NULL AND split_part(" + each.column() + ", '.', 2) <> ALL ($1) LIMIT 1";
            strange = strange.compose(found -> found
                    ? Future.succeededFuture(true)
                    : database.pool()
                            .preparedQuery(sql)
                            .execute(Tuple.tuple().addArrayOfString(keyIds))
                            .map(rows -> rows.size() > 0));
        }
        return strange;
    }

    private static StartException anotherKey(String id) {
        return new StartException(
                "The database holds secrets that were sealed with another key than this broker has (" + id
                        + "). Give it the right one: GPU_BROKER_SECRET_KEY, or the file secret.key in the data folder; to change the"
                        + " key, the one so far as GPU_BROKER_OTHER_SECRET_KEY. Brokers that share a database share the key. If it is"
                        + " lost, delete what was sealed (docs/operating.md).");
    }

    /** @param table and {@code id}: where it will stand */
    public String seal(String table, String id, String secret) {
        byte[] whole = key.seal(place(key, table, id), secret.getBytes(StandardCharsets.UTF_8));
        return VERSION + "." + key.id() + "."
                + Base64.getUrlEncoder().withoutPadding().encodeToString(whole);
    }

    /** @throws IllegalStateException if it was sealed with another key or for another place, or is damaged */
    public String open(String table, String id, String sealed) {
        String[] parts = sealed.split("\\.", -1);
        SealKey by = parts.length == 3 && parts[0].equals(VERSION) ? named(parts[1]) : null;
        if (by == null) {
            throw new IllegalStateException(
                    "the secret of " + table + " " + id + " was not sealed with key " + key.id());
        }
        byte[] text = by.open(place(by, table, id), Base64.getUrlDecoder().decode(parts[2]));
        return new String(text, StandardCharsets.UTF_8);
    }

    private @Nullable SealKey named(String id) {
        if (id.equals(key.id())) {
            return key;
        }
        return other != null && id.equals(other.id()) ? other : null;
    }

    private static byte[] place(SealKey key, String table, String id) {
        return (VERSION + "\n" + key.id() + "\n" + table + "\n" + id).getBytes(StandardCharsets.UTF_8);
    }
}
