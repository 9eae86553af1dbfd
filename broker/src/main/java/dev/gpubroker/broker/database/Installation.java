package dev.gpubroker.broker.database;

import dev.gpubroker.broker.config.StartException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Locale;

/**
 * This installation: one database, one ledger, however many brokers.
 *
 * @param id eight characters of a–z and 0–9, random; marks everything bought, so it never changes
 * @param createdAt wall time of the first start
 */
public record Installation(String id, Stamp stamp, Instant createdAt) {
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final int ID_LENGTH = 8;

    /** Brokers that start together take turns, so that one of them makes the row and the others find it. */
    private static final String LOCK = """
            -- installation.lock
            LOCK TABLE installation IN EXCLUSIVE MODE
            """;

    private static final String READ = """
            -- installation.read
            SELECT installation_id, stamp, created_at FROM installation
            """;
    private static final String MAKE = """
            -- installation.make
            INSERT INTO installation (installation_id, stamp, created_at)
            VALUES ($1, $2, clock_timestamp())
            RETURNING installation_id, stamp, created_at
            """;

    /**
     * Finds the installation, or makes it at the first start.
     *
     * @return fails with {@link StartException} if it bears the other stamp
     */
    public static Future<Installation> open(Database database, Stamp wanted) {
        return database.inTransaction(connection -> readOrMake(connection, wanted))
                .compose(found -> {
                    if (found.stamp == wanted) {
                        return Future.succeededFuture(found);
                    }
                    return Future.failedFuture(
                            new StartException("This installation (" + found.id + ", database " + database.url()
                                    + ") is stamped '" + found.stamp.word() + "' and cannot start as '" + wanted.word()
                                    + "'. Use another data folder (GPU_BROKER_DATA) or database (GPU_BROKER_DATABASE_URL), or "
                                    + (found.stamp == Stamp.SIMULATED
                                            ? "set GPU_BROKER_SIMULATORS or GPU_BROKER_DEMO_CLOCK again."
                                            : "unset GPU_BROKER_SIMULATORS and GPU_BROKER_DEMO_CLOCK.")));
                });
    }

    private static Future<Installation> readOrMake(SqlConnection connection, Stamp wanted) {
        return connection
                .query(LOCK)
                .execute()
                .compose(locked -> connection.query(READ).execute())
                .compose(rows -> rows.size() > 0
                        ? Future.succeededFuture(rows)
                        : connection.preparedQuery(MAKE).execute(Tuple.of(randomId(), wanted.word())))
                .map(rows -> read(rows.iterator().next()));
    }

    private static Installation read(Row row) {
        return new Installation(
                row.getString("installation_id"),
                Stamp.valueOf(row.getString("stamp").toUpperCase(Locale.ROOT)),
                row.getOffsetDateTime("created_at").toInstant());
    }

    /** Begins with a letter, since some platforms ask that of a name. */
    static String randomId() {
        SecureRandom random = new SecureRandom();
        StringBuilder id = new StringBuilder(ID_LENGTH);
        id.append(ALPHABET.charAt(random.nextInt(26)));
        while (id.length() < ID_LENGTH) {
            id.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return id.toString();
    }
}
