package dev.gpubroker.broker.database;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.config.DatabaseUrl;
import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.config.StartException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With the durable settings of production, and real processes that are really killed. */
@Timeout(120)
class EmbeddedDatabaseTest {
    private static final Path BINARIES = Path.of("target/postgres-binaries").toAbsolutePath();
    private static final EmbeddedDatabase.Tuning TUNING = new EmbeddedDatabase.Tuning(true, 20, BINARIES);

    /** A data folder that was used before; each test gets a copy, since making one takes seconds. */
    @TempDir
    static Path used;

    @TempDir
    Path empty;

    private Path data;

    @BeforeAll
    static void makeADataFolder() {
        EmbeddedDatabase.start(used, TUNING).close();
    }

    @BeforeEach
    void copyIt() throws Exception {
        data = empty.resolve("data");
        // Java's copy would lose the permissions, which PostgreSQL insists on.
        assertThat(new ProcessBuilder("cp", "-a", used.toString(), data.toString())
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void whatWasCommittedSurvivesTheDeathOfBrokerAndServer() throws Exception {
        long server = commitOneRowAndDie();
        kill(server, "KILL");

        try (EmbeddedDatabase again = start()) {
            assertThat(rows(again.url())).containsExactly("42");
        }
    }

    @Test
    void theServerLeftByAKilledBrokerIsStoppedAndNothingIsLost() throws Exception {
        long orphan = commitOneRowAndDie();
        assertThat(isRunning(orphan)).isTrue();

        try (EmbeddedDatabase again = start()) {
            assertThat(serverOf(data)).isNotEqualTo(orphan);
            assertThat(isRunning(orphan)).isFalse();
            assertThat(rows(again.url())).containsExactly("42");
        }
    }

    @Test
    void aSecondBrokerOnTheSameFolderIsRefusedByName() throws Exception {
        try (EmbeddedDatabase first = start()) {
            assertThatThrownBy(this::start)
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining(
                            "Another broker (process " + ProcessHandle.current().pid() + ")")
                    .hasMessageContaining(data.toString())
                    .hasMessageContaining("GPU_BROKER_DATA");
            assertThat(text(first.url(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void itIsPrivateDurableAndGoneAfterClose() throws Exception {
        DatabaseUrl url;
        long server;
        try (EmbeddedDatabase database = start()) {
            url = database.url();
            server = serverOf(data);

            assertThat(text(url, "SHOW fsync")).isEqualTo("on");
            assertThat(text(url, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(text(url, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(Files.readString(data.resolve("postgres/pg_hba.conf"))).doesNotContain("trust");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("postgres.password"))))
                    .isEqualTo("rw-------");
            assertThatThrownBy(() -> text(with(url, "wrong"), "SELECT 1"))
                    .hasMessageContaining("password authentication failed");
            assertThat(url.toString()).doesNotContain(url.password().value());
        }
        assertThat(isRunning(server)).isFalse();
    }

    @Test
    void aFolderLeftHalfMadeByACutOffStartIsPutAside() throws Exception {
        data = empty.resolve("other");
        Path directory = Files.createDirectories(data.resolve("postgres"));
        Files.writeString(directory.resolve("postgresql.conf"), "# initdb was killed here");

        try (EmbeddedDatabase database = start()) {
            assertThat(text(database.url(), "SELECT 1")).isEqualTo("1");
        }
        assertThat(data.resolve("postgres.unfinished/postgresql.conf")).exists();
    }

    @Test
    void aProcessIdThatAnotherProgramGotIsLeftAlone() throws Exception {
        Process stranger = new ProcessBuilder("sleep", "60").start();
        try {
            Files.writeString(
                    data.resolve("postgres/postmaster.pid"),
                    stranger.pid() + "\n" + data.resolve("postgres") + "\n0\n5432\n\n\n\n");

            try (EmbeddedDatabase database = start()) {
                assertThat(text(database.url(), "SELECT 1")).isEqualTo("1");
                assertThat(stranger.isAlive()).isTrue();
            }
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void asRootWithoutNamespacesTheErrorNamesBothWaysOut() {
        assertThatThrownBy(() -> NamespaceCheck.run(true, List.of("false")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("GPU_BROKER_DATABASE_URL")
                .hasMessageContaining("another user");
        assertThatThrownBy(() -> NamespaceCheck.run(true, List.of("no-such-program")))
                .isInstanceOf(StartException.class);
        assertThatCode(() -> NamespaceCheck.run(false, List.of("false"))).doesNotThrowAnyException();
    }

    private EmbeddedDatabase start() {
        return EmbeddedDatabase.start(data, TUNING);
    }

    /** Another JVM starts the server, commits and is killed before it can tidy up; the process id of its server. */
    private long commitOneRowAndDie() throws IOException, InterruptedException {
        Process broker = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        DoomedBroker.class.getName(),
                        data.toString(),
                        BINARIES.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader told = new BufferedReader(new InputStreamReader(broker.getInputStream(), UTF_8))) {
            String line;
            do {
                line = told.readLine();
            } while (line != null && !line.equals("committed"));
            assertThat(line).isEqualTo("committed");
        } finally {
            broker.destroyForcibly();
        }
        assertThat(broker.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return serverOf(data);
    }

    private static long serverOf(Path data) throws IOException {
        return Long.parseLong(
                Files.readAllLines(data.resolve("postgres/postmaster.pid")).get(0));
    }

    /** A process that nobody has reaped yet is listed, but runs no more. */
    private boolean isRunning(long pid) {
        return ProcessHandle.of(pid)
                .map(process -> !Postmaster.awaitGone(process, data.resolve("postgres"), Duration.ZERO))
                .orElse(false);
    }

    private void kill(long pid, String signal) throws Exception {
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
        new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + pid)
                .start()
                .waitFor();
        assertThat(Postmaster.awaitGone(process, data.resolve("postgres"), Duration.ofSeconds(10)))
                .isTrue();
    }

    private static DatabaseUrl with(DatabaseUrl url, String password) {
        return DatabaseUrl.plain(url.host(), url.port(), url.database(), url.user(), new Secret(password));
    }

    private static List<String> rows(DatabaseUrl url) throws SQLException {
        return List.of(text(url, "SELECT string_agg(id::text, ',') FROM kept").split(","));
    }

    private static String text(DatabaseUrl url, String query) throws SQLException {
        try (Connection connection = Jdbc.dataSource(url).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Commits one row, says so, and waits for its end. */
    static final class DoomedBroker {
        private DoomedBroker() {}

        public static void main(String[] arguments) throws Exception {
            EmbeddedDatabase database = EmbeddedDatabase.start(
                    Path.of(arguments[0]), new EmbeddedDatabase.Tuning(true, 20, Path.of(arguments[1])));
            try (Connection connection = Jdbc.dataSource(database.url()).getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE kept (id int)");
                statement.execute("INSERT INTO kept VALUES (42)");
            }
            System.out.println("committed");
            Thread.currentThread().join();
        }
    }
}
