package dev.gpubroker.verification.bench;

import dev.gpubroker.broker.config.DatabaseUrl;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The baseline of bookings: PostgreSQL's own load generator with the statements of a booking, on a copy of the brokers' database
 * on the same server. Each run begins with a fresh copy.
 */
final class PgBench {
    private static final String TEMPLATE = "bench_template";
    private static final String COPY = "bench";
    private static final Pattern RATE = Pattern.compile("tps = ([0-9.]+) \\(without initial connection time\\)");
    private static final Duration STEP = Duration.ofHours(12);

    private final Ground ground;
    private final Path program;
    private final Path script;

    private PgBench(Ground ground, Path program, Path script) {
        this.ground = ground;
        this.program = program;
        this.script = script;
    }

    /** How long a booking of the baseline is. */
    static Duration length() {
        return STEP;
    }

    /**
     * Copies the brokers' database; no broker may be connected.
     *
     * @param from when the first window begins; {@code days} of them are used, so that no two bookings are in each other's way
     * @return empty where pgbench is not installed
     */
    static Optional<PgBench> prepare(Ground ground, String script, Instant from, int days)
            throws IOException, SQLException {
        Optional<Path> program = find();
        if (program.isEmpty()) {
            return Optional.empty();
        }
        Sql superuser = ground.sql().asSuperuser();
        String brokers = superuser.url().database();
        superuser
                .on("postgres")
                .run("CREATE DATABASE " + TEMPLATE + " TEMPLATE " + brokers + " OWNER "
                        + ground.sql().url().user());
        ground.sql()
                .on(TEMPLATE)
                .run(
                        "TRUNCATE allocation, reservation_event, claim, task, cancellation_quote, reservation, due_work,"
                                + " outbox, idempotency_key CASCADE",
                        slots(from, days),
                        "ALTER TABLE slot ADD PRIMARY KEY (n)",
                        "VACUUM ANALYZE");
        Path file = ground.folder().resolve("booking.pgbench.sql");
        Files.writeString(file, script);
        return Optional.of(new PgBench(ground, program.get(), file));
    }

    /** Whole machines for half a day each: every machine once, then every machine again half a day later. */
    private static String slots(Instant from, int days) {
        return """
                CREATE TABLE slot AS
                SELECT row_number() OVER (ORDER BY step, md5(node_id)) - 1 AS n,
                       'rsv_' || step || '_' || node_id AS reservation, 'key_' || step || '_' || node_id AS key,
                       '{' || node_id || '}' AS nodes,
                       timestamptz '%s' + step * interval '12 hours' AS starts,
                       timestamptz '%s' + (step + 1) * interval '12 hours' AS ends
                  FROM node, generate_series(0, %d) AS step""".formatted(PgText.of(from), PgText.of(from), days * 2 - 1);
    }

    /**
     * One run.
     *
     * @return bookings a second
     * @throws Wrong if the script did not book
     */
    double run(int clients, Duration length) throws IOException, InterruptedException, SQLException {
        Sql admin = ground.sql().asSuperuser().on("postgres");
        admin.run(
                "DROP DATABASE IF EXISTS " + COPY + " WITH (FORCE)",
                "CREATE DATABASE " + COPY + " TEMPLATE " + TEMPLATE + " OWNER "
                        + ground.sql().url().user(),
                "CHECKPOINT");
        String output = execute(clients, length);
        Matcher rate = RATE.matcher(output);
        if (!rate.find()) {
            throw new IOException("pgbench told no rate: " + output);
        }
        checkBooked(ground.sql().on(COPY));
        return Double.parseDouble(rate.group(1));
    }

    private String execute(int clients, Duration length) throws IOException, InterruptedException {
        DatabaseUrl url = ground.sql().url();
        Path output = ground.folder().resolve("pgbench.log");
        ProcessBuilder builder = new ProcessBuilder(
                        program.toString(),
                        "--no-vacuum",
                        "--protocol=prepared",
                        "--client=" + clients,
                        "--jobs=" + Math.min(clients, Runtime.getRuntime().availableProcessors()),
                        "--time=" + length.toSeconds(),
                        "--define=n=-1",
                        "--define=clients=" + clients,
                        "--file=" + script,
                        "--host=" + url.host(),
                        "--port=" + url.port(),
                        "--username=" + url.user(),
                        COPY)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("PGPASSWORD", url.password().value());
        int code = builder.start().waitFor();
        String text = Files.readString(output);
        if (code != 0) {
            throw new IOException("pgbench ended with " + code + ": " + text);
        }
        return text;
    }

    private static void checkBooked(Sql copy) throws SQLException {
        long reservations = copy.number("SELECT count(*) FROM reservation");
        long placed = copy.number("SELECT count(DISTINCT reservation_id) FROM allocation WHERE live");
        long answered = copy.number("SELECT count(*) FROM idempotency_key WHERE state = 'done'");
        if (reservations == 0 || placed != reservations || answered != reservations) {
            throw new Wrong("the baseline does not book: " + reservations + " reservations, " + placed
                    + " with a place, " + answered + " answered");
        }
    }

    private static Optional<Path> find() {
        @Nullable String path = System.getenv("PATH");
        return Stream.of((path == null ? "" : path).split(File.pathSeparator))
                .map(folder -> Path.of(folder, "pgbench"))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
