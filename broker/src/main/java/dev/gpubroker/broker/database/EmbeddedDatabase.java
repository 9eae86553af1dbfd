package dev.gpubroker.broker.database;

import dev.gpubroker.broker.config.DatabaseUrl;
import dev.gpubroker.broker.config.PrivateFile;
import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.config.StartException;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server of our own under the data folder, so that nothing need be installed. It is as durable as any other:
 * what was committed survives kill -9 of the broker, of the server and of both.
 *
 * <p>It listens on the loopback address only and asks for a password (scram), which lies in a file for its owner alone. It
 * runs until {@link #close}: whoever starts it closes it last when told to stop, since only they know when the pools are
 * empty. One left behind by a killed broker is stopped by the next start.
 */
public final class EmbeddedDatabase implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedDatabase.class);
    static final String SUPERUSER = "postgres";
    /** The broker's role and database: it owns the one, and is no superuser, as on any other server. */
    static final String NAME = "gpu_broker";
    /** Present once a start went through: a directory without it was left half made. */
    private static final String COMPLETE = "gpu-broker.complete";
    /** Recovery after a crash reads the log since the last checkpoint, at most some hundred megabytes. */
    private static final Duration START_LIMIT = Duration.ofSeconds(90);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final String HBA = """
            # Written by gpu-broker at every start.
            host all all 127.0.0.1/32 scram-sha-256
            """;

    /**
     * How a server is run.
     *
     * @param durable false trades the last commits for speed: tests only
     * @param binaries where the programs are unpacked
     */
    record Tuning(boolean durable, int maxConnections, Path binaries) {}

    private final EmbeddedPostgres server;
    private final Path directory;
    private final Secret password;
    private final DataLock lock;

    private EmbeddedDatabase(EmbeddedPostgres server, Path directory, Secret password, DataLock lock) {
        this.server = server;
        this.directory = directory;
        this.password = password;
        this.lock = lock;
    }

    /**
     * Starts the server of a data folder, making both at the first start; takes one to six seconds.
     *
     * @throws StartException if another broker uses the folder, or this user cannot run a server
     */
    public static EmbeddedDatabase start(Path data) {
        Path folder = PrivateFile.folder(data);
        // Quartz 5, Vert.x 16, the live streams, and room for a person with psql.
        return start(folder, new Tuning(true, 64, folder.resolve("postgres-binaries")));
    }

    static EmbeddedDatabase start(Path data, Tuning tuning) {
        NamespaceCheck.run();
        Path folder = real(PrivateFile.folder(data));
        DataLock lock = DataLock.take(folder);
        try {
            return start(folder, tuning, lock);
        } catch (RuntimeException | IOException | SQLException e) {
            try {
                lock.close();
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            if (e instanceof StartException told) {
                throw told;
            }
            throw new StartException(
                    "The embedded database under " + folder + " does not start (" + e.getMessage()
                            + "). Its log is in " + folder.resolve("postgres/log")
                            + ". Or use another server with GPU_BROKER_DATABASE_URL.",
                    e);
        }
    }

    private static EmbeddedDatabase start(Path folder, Tuning tuning, DataLock lock) throws IOException, SQLException {
        Path directory = folder.resolve("postgres");
        Path passwordFile = folder.resolve("postgres.password");
        Postmaster.stopOrphan(directory);
        putHalfMadeAside(directory);
        if (Files.exists(directory.resolve(COMPLETE)) && !Files.exists(passwordFile)) {
            throw new StartException(
                    "The password file " + passwordFile + " of the embedded database is gone. Put it back.");
        }
        Secret password = PrivateFile.readOrMake(passwordFile);
        EmbeddedPostgres server =
                server(directory, tuning, password, passwordFile).start();
        EmbeddedDatabase database = new EmbeddedDatabase(server, directory, password, lock);
        try {
            database.prepare();
            if (!Files.exists(directory.resolve(COMPLETE))) {
                Files.createFile(directory.resolve(COMPLETE));
            }
            LOG.info("Embedded PostgreSQL listens on 127.0.0.1:{}, data in {}", server.getPort(), directory);
            return database;
        } catch (IOException | SQLException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static EmbeddedPostgres.Builder server(Path directory, Tuning tuning, Secret password, Path passwordFile) {
        // The library makes its own folder writable for everybody; the one around it keeps them out.
        Path unpacked = PrivateFile.folder(tuning.binaries()).resolve("unpacked");
        String durable = tuning.durable() ? "on" : "off";
        return EmbeddedPostgres.builder()
                .setDataDirectory(directory)
                .setCleanDataDirectory(false)
                .setOverrideWorkingDirectory(unpacked.toFile())
                // Its own hook would stop the server while the broker still finishes its work.
                .setRegisterShutdownHook(false)
                .setPGStartupWait(START_LIMIT)
                // The library switches these off, being made for tests.
                .setServerConfig("fsync", durable)
                .setServerConfig("synchronous_commit", durable)
                .setServerConfig("full_page_writes", durable)
                .setServerConfig("max_connections", Integer.toString(tuning.maxConnections()))
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "")
                .setServerConfig("timezone", "UTC")
                .setServerConfig("log_timezone", "UTC")
                // Seven files at most, one a weekday, begun afresh each week.
                .setServerConfig("logging_collector", "on")
                .setServerConfig("log_directory", "log")
                .setServerConfig("log_filename", "postgres-%a.log")
                .setServerConfig("log_rotation_age", "1d")
                .setServerConfig("log_rotation_size", "0")
                .setServerConfig("log_truncate_on_rotation", "on")
                // These become options of initdb; of two --auth it takes the later one.
                .setLocaleConfig("auth", "scram-sha-256")
                .setLocaleConfig("pwfile", passwordFile.toString())
                .setLocaleConfig("locale", "C")
                .setLocaleConfig("locale-provider", "builtin")
                .setLocaleConfig("builtin-locale", "C.UTF-8")
                .setConnectConfig("password", password.value())
                .setDataDirectoryCustomizer(EmbeddedDatabase::tighten);
    }

    private static void tighten(File directory) {
        try {
            Files.writeString(directory.toPath().resolve("pg_hba.conf"), HBA);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write pg_hba.conf", e);
        }
    }

    /** Where the broker's own database is. */
    public DatabaseUrl url() {
        return DatabaseUrl.plain("127.0.0.1", server.getPort(), NAME, NAME, password);
    }

    /** The same server as its superuser: for making databases. */
    DatabaseUrl superuserUrl() {
        return DatabaseUrl.plain("127.0.0.1", server.getPort(), SUPERUSER, SUPERUSER, password);
    }

    /** Ends all sessions, writes everything down and stops. */
    @Override
    public void close() {
        try {
            // Its own wait is five seconds; writing everything down may take longer.
            Optional<ProcessHandle> process = Postmaster.of(directory);
            server.close();
            if (process.isPresent() && !Postmaster.awaitGone(process.get(), directory, STOP_LIMIT)) {
                LOG.warn("The embedded database on {} is still stopping", directory);
            }
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot stop the embedded database on " + directory, e);
        }
    }

    private void prepare() throws SQLException {
        // The role's password follows the file, which is made of characters that need no quoting.
        String role = password.value().replace("'", "''");
        try (Connection connection = Jdbc.dataSource(superuserUrl()).getConnection();
                Statement statement = connection.createStatement()) {
            if (isMissing(statement, "SELECT 1 FROM pg_roles WHERE rolname = '" + NAME + "'")) {
                statement.execute("CREATE ROLE " + NAME + " LOGIN PASSWORD '" + role + "'");
            } else {
                statement.execute("ALTER ROLE " + NAME + " LOGIN PASSWORD '" + role + "'");
            }
            if (isMissing(statement, "SELECT 1 FROM pg_database WHERE datname = '" + NAME + "'")) {
                statement.execute("CREATE DATABASE " + NAME + " OWNER " + NAME);
            }
        }
    }

    private static boolean isMissing(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return !rows.next();
        }
    }

    /** Renamed, not deleted: should the mark ever be lost, nothing else is. */
    private static void putHalfMadeAside(Path directory) throws IOException {
        if (!Files.exists(directory) || Files.exists(directory.resolve(COMPLETE))) {
            return;
        }
        Path aside = directory.resolveSibling("postgres.unfinished");
        for (int number = 2; Files.exists(aside); number++) {
            aside = directory.resolveSibling("postgres.unfinished-" + number);
        }
        LOG.warn("{} was left half made by a start that was cut off; it is now {}", directory, aside);
        Files.move(directory, aside);
    }

    private static Path real(Path folder) {
        try {
            return folder.toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot resolve " + folder, e);
        }
    }
}
