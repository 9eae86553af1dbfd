package dev.gpubroker.verification.simulation;

import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.database.Database;
import io.vertx.core.Vertx;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One PostgreSQL for all seeds; each gets a database of its own, copied from a template on the current schema. It is quick
 * rather than durable: crashes of brokers are played, a crash of the database is not.
 */
final class Server implements AutoCloseable {
    private static final String TEMPLATE = "simulation_template";
    static final String SUPERUSER = "postgres";

    private final @Nullable EmbeddedPostgres own;
    private final int port;

    private Server(@Nullable EmbeddedPostgres own, int port) {
        this.own = own;
        this.port = port;
    }

    /** Starts a server in a folder that is cleared. */
    static Server start(Path folder) {
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setDataDirectory(folder.resolve("postgres"))
                    .setCleanDataDirectory(true)
                    .setOverrideWorkingDirectory(
                            folder.resolve("postgres-binaries").toFile())
                    .setServerConfig("fsync", "off")
                    .setServerConfig("synchronous_commit", "off")
                    .setServerConfig("full_page_writes", "off")
                    .setServerConfig("max_connections", "300")
                    .setServerConfig("timezone", "UTC")
                    .setLocaleConfig("locale", "C")
                    .setLocaleConfig("locale-provider", "builtin")
                    .setLocaleConfig("builtin-locale", "C.UTF-8")
                    .start();
            Server server = new Server(postgres, postgres.getPort());
            server.prepare(folder);
            return server;
        } catch (IOException fault) {
            throw new UncheckedIOException("the simulation's PostgreSQL does not start", fault);
        }
    }

    /** One that another process has started and prepared. */
    static Server at(int port) {
        return new Server(null, port);
    }

    int port() {
        return port;
    }

    private void prepare(Path folder) {
        try (Sql admin = admin()) {
            admin.run("CREATE DATABASE " + TEMPLATE);
        }
        Vertx vertx = Vertx.vertx();
        Settings settings = Settings.load(
                null,
                Map.of("GPU_BROKER_DATABASE_URL", url(SUPERUSER, TEMPLATE), "GPU_BROKER_DATA", folder.toString()));
        Database.open(vertx, settings).close();
        vertx.close().await();
        try (Sql template = new Sql(jdbc(TEMPLATE), SUPERUSER)) {
            Audit.install(template);
        }
    }

    Sql admin() {
        return new Sql(jdbc("postgres"), SUPERUSER);
    }

    void create(String database) {
        try (Sql admin = admin()) {
            admin.run("DROP DATABASE IF EXISTS " + database + " WITH (FORCE)");
            admin.run("CREATE DATABASE " + database + " TEMPLATE " + TEMPLATE);
        }
    }

    void drop(String database) {
        try (Sql admin = admin()) {
            admin.run("DROP DATABASE IF EXISTS " + database + " WITH (FORCE)");
        }
    }

    void dropRole(String role) {
        try (Sql admin = admin()) {
            admin.run("DROP ROLE IF EXISTS " + role);
        }
    }

    String jdbc(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    /** As the broker's settings take it; the server trusts every password. */
    String url(String user, String database) {
        return "postgresql://" + user + ":none@127.0.0.1:" + port + "/" + database;
    }

    @Override
    public void close() {
        if (own != null) {
            try {
                own.close();
            } catch (IOException fault) {
                throw new UncheckedIOException("the simulation's PostgreSQL does not stop", fault);
            }
        }
    }
}
