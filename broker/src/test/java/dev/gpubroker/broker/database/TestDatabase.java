package dev.gpubroker.broker.database;

import dev.gpubroker.broker.config.DatabaseUrl;
import dev.gpubroker.broker.config.StartException;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A database of its own, on the current schema and empty, copied from a template in some tens of milliseconds. All tests of
 * the module share one server, which starts with the first of them and stops with the JVM.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final TestDatabase DATABASE = new TestDatabase();   // one database for the class, dropped after it
 *
 * DATABASE.database().inTransaction(…)
 * }</pre>
 *
 * Or, without JUnit: {@code try (TestDatabase database = TestDatabase.create()) {…}}.
 */
public final class TestDatabase implements BeforeAllCallback, AfterAllCallback, AutoCloseable {
    private static final String TEMPLATE = "template_broker";
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private @Nullable DatabaseUrl url;
    private @Nullable Vertx vertx;
    private @Nullable Database database;

    public static TestDatabase create() {
        TestDatabase made = new TestDatabase();
        made.open();
        return made;
    }

    /** Where it is; the role is the broker's own, no superuser. */
    public DatabaseUrl url() {
        if (url == null) {
            throw new IllegalStateException("not open: register it as a static extension, or use create()");
        }
        return url;
    }

    /** Pools on it, made when first asked for and closed with it. */
    public synchronized Database database() {
        if (database == null) {
            database = Database.connect(vertx(), url());
        }
        return database;
    }

    /** One more set of pools on the same database, as of a second broker; the caller closes it. */
    public Database anotherBroker() {
        return Database.connect(vertx(), url());
    }

    public synchronized Vertx vertx() {
        if (vertx == null) {
            vertx = Vertx.vertx();
        }
        return vertx;
    }

    /** Runs statements beside the pools, committed at once. */
    public void execute(String sql) {
        run(url(), sql);
    }

    /** The first value of the first row, as text. */
    public String read(String sql) {
        try (Connection connection = Jdbc.dataSource(url()).getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage() + " in: " + sql, e);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        open();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }

    @Override
    public synchronized void close() {
        if (database != null) {
            database.close();
        }
        if (vertx != null) {
            vertx.close().await();
        }
        if (url != null) {
            run(Server.ADMIN, "DROP DATABASE IF EXISTS " + url.database() + " WITH (FORCE)");
        }
        database = null;
        vertx = null;
        url = null;
    }

    private void open() {
        String name = "t" + NUMBER.incrementAndGet();
        run(Server.ADMIN, "CREATE DATABASE " + name + " TEMPLATE " + TEMPLATE + " OWNER " + EmbeddedDatabase.NAME);
        url = Server.EMBEDDED.url().withDatabase(name);
    }

    private static void run(DatabaseUrl url, String sql) {
        try (Connection connection = Jdbc.dataSource(url).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage() + " in: " + sql, e);
        }
    }

    /** The one server of this JVM; started when first touched. */
    private static final class Server {
        static final EmbeddedDatabase EMBEDDED = start();
        static final DatabaseUrl ADMIN = EMBEDDED.superuserUrl();

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(EMBEDDED::close, "test-database-closer"));
            run(ADMIN, "CREATE DATABASE " + TEMPLATE + " OWNER " + EmbeddedDatabase.NAME);
            Database.migrate(EMBEDDED.url().withDatabase(TEMPLATE));
        }

        /** Beside each other where several builds run at once: the lock of a folder in use makes this take the next. */
        private static EmbeddedDatabase start() {
            Path target = Path.of("target").toAbsolutePath();
            EmbeddedDatabase.Tuning tuning =
                    new EmbeddedDatabase.Tuning(false, 200, target.resolve("postgres-binaries"));
            for (int number = 0; ; number++) {
                Path data = target.resolve("test-database-" + number);
                try {
                    clear(data);
                    return EmbeddedDatabase.start(data, tuning);
                } catch (StartException e) {
                    if (number == 9 || !String.valueOf(e.getMessage()).contains("already uses")) {
                        throw e;
                    }
                }
            }
        }

        /** Without fsync a server that was killed leaves nothing worth keeping. */
        private static void clear(Path data) {
            if (!Files.exists(data)) {
                return;
            }
            try (DataLock lock = DataLock.take(data)) {
                Postmaster.stopOrphan(data.toRealPath().resolve("postgres"));
                for (Path folder : List.of(data.resolve("postgres"), data.resolve("postgres.unfinished"))) {
                    delete(folder);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void delete(Path folder) throws IOException {
            if (!Files.exists(folder)) {
                return;
            }
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
