package dev.gpubroker.verification.lab;

import dev.gpubroker.broker.config.DatabaseUrl;
import dev.gpubroker.broker.database.EmbeddedDatabase;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL of its own for several brokers, which can be killed and started again on the same port. The broker's embedded
 * server makes its folder and role, so that both are as they are shipped: durable, scram, a role that owns the database and is
 * no superuser. Only the number of connections is larger.
 */
public final class PostgresServer implements AutoCloseable {
    /** A broker has 21, the simulators as many. */
    private static final int MOST_CONNECTIONS = 200;

    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final Path folder;
    private final Path program;
    private final DatabaseUrl login;
    private final int port;
    private @Nullable Process process;

    private PostgresServer(Path folder, Path program, DatabaseUrl login, int port) {
        this.folder = folder;
        this.program = program;
        this.login = login;
        this.port = port;
    }

    /** Makes the database in {@code folder} and starts it; takes some seconds. */
    public static PostgresServer create(Path folder, int port) throws IOException, InterruptedException {
        DatabaseUrl login;
        Path program;
        try (EmbeddedDatabase made = EmbeddedDatabase.start(folder)) {
            login = made.url();
            program = program(folder.resolve("postgres"));
        }
        PostgresServer server = new PostgresServer(folder.toRealPath(), program, login, port);
        server.start();
        return server;
    }

    /** Starts it, also after {@link #kill}, and waits until it takes connections. */
    public void start() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (isRoot()) {
            command.addAll(List.of("unshare", "-U")); // PostgreSQL refuses to be root.
        }
        command.add(program.toString());
        command.addAll(List.of("-D", directory().toString(), "-p", Integer.toString(port)));
        command.addAll(setting("listen_addresses", "127.0.0.1"));
        command.addAll(setting("unix_socket_directories", ""));
        command.addAll(setting("max_connections", Integer.toString(MOST_CONNECTIONS)));
        command.addAll(setting("fsync", "on"));
        command.addAll(setting("synchronous_commit", "on"));
        command.addAll(setting("full_page_writes", "on"));
        command.addAll(setting("timezone", "UTC"));
        command.addAll(setting("logging_collector", "off"));
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        awaitConnections();
    }

    private void awaitConnections() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (true) {
            try (Connection connection = dataSource().getConnection()) {
                return;
            } catch (SQLException notYet) {
                Process running = process;
                if (running == null || !running.isAlive() || System.nanoTime() - deadline > 0) {
                    throw new IOException("PostgreSQL does not start; see " + log(), notYet);
                }
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
    }

    /** As kill -9 of the postmaster: its sessions end without a word, what was committed is there after the next start. */
    public void kill() throws IOException, InterruptedException {
        Process running = process;
        if (running == null) {
            return;
        }
        running.destroyForcibly().waitFor();
        awaitSessionsGone();
    }

    /** Ends all sessions and stops it in order. */
    public void stop() throws IOException, InterruptedException {
        Process running = process;
        if (running == null || !running.isAlive()) {
            return;
        }
        Signals.send("INT", running.pid());
        if (!running.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            kill();
        }
    }

    /** Sessions see within moments that their server is gone; a new one refuses to start beside them. */
    private void awaitSessionsGone() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + STOP_LIMIT.toNanos();
        while (ProcessHandle.allProcesses().anyMatch(this::worksHere)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("processes still use " + directory() + " though their server is gone");
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private boolean worksHere(ProcessHandle each) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(each.pid()), "cwd"))
                    .equals(directory());
        } catch (IOException goneOrAnothers) {
            return false;
        }
    }

    /** For {@code GPU_BROKER_DATABASE_URL}; with the password. */
    public String brokerUrl() {
        return "postgresql://" + login.user() + ":" + login.password().value() + "@127.0.0.1:" + port + "/"
                + login.database() + "?sslmode=disable";
    }

    /** Unpooled connections to the brokers' database, as their role. */
    public DataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {port});
        source.setDatabaseName(login.database());
        source.setUser(login.user());
        source.setPassword(login.password().value());
        source.setConnectTimeout(5);
        return source;
    }

    public Path log() {
        return folder.resolve("postgres.log");
    }

    @Override
    public void close() throws IOException, InterruptedException {
        stop();
    }

    private Path directory() {
        return folder.resolve("postgres");
    }

    /** The program that runs the embedded server: where it lies is the library's affair, which unpacks once for a whole process. */
    private static Path program(Path directory) throws IOException {
        String pid =
                Files.readAllLines(directory.resolve("postmaster.pid")).get(0).strip();
        return Path.of("/proc", pid, "exe").toRealPath();
    }

    private static boolean isRoot() throws IOException {
        return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    private static List<String> setting(String name, String value) {
        return List.of("-c", name + "=" + value);
    }
}
