package dev.gpubroker.broker.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.gpubroker.broker.config.DatabaseUrl;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/** The broker's database, on the current schema: one pool for our own statements, a small one for libraries on JDBC. */
public final class Database implements AutoCloseable {
    /** Times a transaction is tried again after losing a race (DESIGN 4). */
    private static final int RETRIES = 3;
    /** Deadlock, serialization failure, and a rectangle that somebody else took at the same moment. */
    private static final Set<String> LOST_RACES = Set.of("40P01", "40001", "23P01");
    /** Enough to keep two cores and one disk busy; more only makes transactions wait inside the server. */
    private static final int POOL_SIZE = 16;
    /** Statements of one connection that may be under way together; the server still runs them in order. */
    private static final int PIPELINED = 16;
    /** Quartz's scheduler, its check-in, two workers, and one to spare. */
    private static final int JDBC_POOL_SIZE = 5;

    /** JDBC would hand the machine's own zone to the server. */
    private static final String UTC = "SET TIME ZONE 'UTC'";

    /** A server that was started together with the broker may need a moment. */
    private static final Duration FIRST_CONNECTION_LIMIT = Duration.ofSeconds(20);

    private static final Duration STATEMENT_LIMIT = Duration.ofSeconds(30);
    /** Shorter than work is held: when a frozen broker's work is taken over, the rows it had locked are free. */
    private static final Duration IDLE_TRANSACTION_LIMIT = Duration.ofSeconds(15);

    private final Vertx vertx;
    private final DatabaseUrl url;
    private final Pool pool;
    private final HikariDataSource jdbc;
    private final @Nullable EmbeddedDatabase embedded;

    private Database(Vertx vertx, DatabaseUrl url, @Nullable EmbeddedDatabase embedded) {
        this.vertx = vertx;
        this.url = url;
        this.embedded = embedded;
        this.jdbc = jdbcPool(url);
        this.pool = PgBuilder.pool()
                .with(new PoolOptions()
                        .setName("gpu-broker")
                        .setMaxSize(POOL_SIZE)
                        .setConnectionTimeout(10)
                        .setConnectionTimeoutUnit(TimeUnit.SECONDS))
                .with(new NetClientOptions().setConnectTimeout(10_000))
                .connectingTo(connectOptions(url))
                .using(vertx)
                .build();
    }

    /**
     * Starts the embedded server or finds the one in the settings, and brings the schema up to date. Blocks for seconds. A
     * schema that a newer broker has added to is used as it is, so that brokers can be replaced one by one.
     *
     * @throws StartException if there is no server, or what it holds cannot be brought to this broker's schema
     */
    public static Database open(Vertx vertx, Settings settings) {
        DatabaseUrl external = settings.database();
        if (external != null) {
            migrate(external);
            return new Database(vertx, external, null);
        }
        EmbeddedDatabase embedded = EmbeddedDatabase.start(settings.data());
        try {
            migrate(embedded.url());
            return new Database(vertx, embedded.url(), embedded);
        } catch (RuntimeException e) {
            embedded.close();
            throw e;
        }
    }

    /** Uses a database that is already on the current schema. */
    static Database connect(Vertx vertx, DatabaseUrl url) {
        return new Database(vertx, url, null);
    }

    /** Brings the schema up to date; several brokers may do so at once, one of them then waits for the other. */
    static void migrate(DatabaseUrl url) {
        try (HikariDataSource connections = jdbcPool(url)) {
            Flyway.configure(Database.class.getClassLoader())
                    .dataSource(connections)
                    .locations("classpath:db/migration")
                    .defaultSchema("public")
                    .schemas("public")
                    .load()
                    .migrate();
        } catch (FlywayException | PoolInitializationException e) {
            throw new StartException(
                    "The database " + url + " cannot be reached or brought to the current schema ("
                            + e.getMessage()
                            + "). Check the address, that its user may create tables and schemas, and that nobody has changed"
                            + " the schema by hand.",
                    e);
        }
    }

    /** For statements of our own. */
    public Pool pool() {
        return pool;
    }

    /** For libraries that speak JDBC; five connections. */
    public DataSource jdbc() {
        return jdbc;
    }

    /** Where it is; prints without the password. */
    public DatabaseUrl url() {
        return url;
    }

    /** For a connection beside the pool, such as one that listens to notifications for as long as it lives. */
    public PgConnectOptions connectOptions() {
        return connectOptions(url);
    }

    /**
     * Runs {@code work} in one transaction: committed if its future succeeds, else rolled back. A lost race (deadlock,
     * serialization failure, overlapping rectangle) is tried again three times, so {@code work} must have no effect outside
     * the database; then it fails with the {@link PgException} of the last try.
     */
    public <T> Future<T> inTransaction(Function<SqlConnection, Future<T>> work) {
        return attempt(work, 1);
    }

    private <T> Future<T> attempt(Function<SqlConnection, Future<T>> work, int number) {
        return pool.withTransaction(work).recover(fault -> {
            if (number > RETRIES || !isLostRace(fault)) {
                return Future.failedFuture(fault);
            }
            // A little apart, so that the same two do not meet again.
            long pause = ThreadLocalRandom.current().nextLong(1, 20L * number);
            return vertx.timer(pause, TimeUnit.MILLISECONDS).compose(passed -> attempt(work, number + 1));
        });
    }

    /** Whether a transaction failed only because another one was faster. */
    public static boolean isLostRace(Throwable fault) {
        return fault instanceof PgException refused && LOST_RACES.contains(refused.getSqlState());
    }

    /** Closes both pools, then the embedded server if there is one. Blocks; not for an event loop. */
    @Override
    public void close() {
        jdbc.close();
        try {
            pool.close().await(10, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            // The server ends what is left.
        } finally {
            if (embedded != null) {
                embedded.close();
            }
        }
    }

    private static PgConnectOptions connectOptions(DatabaseUrl url) {
        PgConnectOptions options = new PgConnectOptions()
                .setHost(url.host())
                .setPort(url.port())
                .setDatabase(url.database())
                .setUser(url.user())
                .setPassword(url.password().value())
                .setPipeliningLimit(PIPELINED)
                .setCachePreparedStatements(true)
                .setSslMode(SslMode.of(url.sslMode()))
                .addProperty("application_name", "gpu-broker")
                .addProperty("TimeZone", "UTC")
                .addProperty("statement_timeout", Long.toString(STATEMENT_LIMIT.toMillis()))
                .addProperty("idle_in_transaction_session_timeout", Long.toString(IDLE_TRANSACTION_LIMIT.toMillis()));
        if (!url.sslMode().equals("disable")) {
            options.setSslOptions(ssl(url));
        }
        return options;
    }

    private static ClientSSLOptions ssl(DatabaseUrl url) {
        boolean verified = url.sslMode().startsWith("verify-");
        ClientSSLOptions ssl = new ClientSSLOptions()
                .setTrustAll(!verified)
                .setHostnameVerificationAlgorithm(url.sslMode().equals("verify-full") ? "HTTPS" : "");
        if (verified && url.sslRootCertificate() != null) {
            ssl.setTrustOptions(new PemTrustOptions().addCertPath(url.sslRootCertificate()));
        }
        return ssl;
    }

    private static HikariDataSource jdbcPool(DatabaseUrl url) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("gpu-broker-jdbc");
        config.setDataSource(Jdbc.dataSource(url));
        config.setMaximumPoolSize(JDBC_POOL_SIZE);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(10_000);
        config.setInitializationFailTimeout(FIRST_CONNECTION_LIMIT.toMillis());
        config.setConnectionInitSql(UTC);
        return new HikariDataSource(config);
    }
}
