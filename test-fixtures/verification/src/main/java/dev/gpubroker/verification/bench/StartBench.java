package dev.gpubroker.verification.bench;

import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** {@code start}: from the command to {@code /readyz}, and how much memory the broker then takes. */
final class StartBench implements Benchmark {
    private static final String NAME = "start";
    private static final String MODEL = "A100-SXM4-80GB";
    private static final int BOOKINGS = 10_000;
    private static final int CLIENTS = 16;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration IDLE = Duration.ofSeconds(10);

    @Override
    public void run(Bench.Options options, Consumer<Figure> report) throws Exception {
        try (Ground ground = Ground.make(options, NAME)) {
            report.accept(
                    Figure.of(NAME, "external PostgreSQL, new database", "s", start(ground, "external", Map.of())));
            report.accept(
                    Figure.of(NAME, "external PostgreSQL", "s", starts(ground, "external", Map.of(), options.runs()))
                            .atMost(3));
            Map<String, String> embedded = Map.of("GPU_BROKER_DATABASE_URL", "");
            report.accept(
                    Figure.of(NAME, "embedded PostgreSQL, new data folder", "s", start(ground, "embedded", embedded)));
            report.accept(
                    Figure.of(NAME, "embedded PostgreSQL", "s", starts(ground, "embedded", embedded, options.runs()))
                            .atMost(5));
            memory(ground, report);
        }
    }

    private static List<Double> starts(Ground ground, String name, Map<String, String> settings, int runs)
            throws IOException, InterruptedException {
        List<Double> seconds = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            seconds.add(start(ground, name, settings));
        }
        return seconds;
    }

    /** Looked at more often than a lab does that only waits for it. */
    private static double start(Ground ground, String name, Map<String, String> settings)
            throws IOException, InterruptedException {
        try (BrokerProcess broker = ground.notStarted(name, settings)) {
            long from = System.nanoTime();
            broker.launch();
            URL ready = broker.url().resolve("/readyz").toURL();
            while (!isReady(ready)) {
                if (System.nanoTime() - from > PATIENCE.toNanos() || !broker.isAlive()) {
                    throw new IOException("the broker does not start; see " + broker.log());
                }
                TimeUnit.MILLISECONDS.sleep(10);
            }
            double seconds = (System.nanoTime() - from) / 1e9;
            broker.stop();
            return seconds;
        }
    }

    private static boolean isReady(URL ready) {
        try {
            HttpURLConnection connection = (HttpURLConnection) ready.openConnection();
            connection.setReadTimeout(5_000);
            return connection.getResponseCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static void memory(Ground ground, Consumer<Figure> report) throws Exception {
        BrokerProcess broker = ground.broker("memory");
        for (int i = 1; i <= 10; i++) {
            Ground.pool(broker, "pool-" + i, MODEL, 125);
        }
        ground.sql().run("ANALYZE");
        TimeUnit.MILLISECONDS.sleep(IDLE.toMillis());
        report.accept(Figure.of(NAME, "resident memory, idle", "MB", Machine.residentMegabytes(broker.pid()))
                .atMost(350));
        Bookings bookings = Bookings.spread(MODEL, 45, Instant.now());
        bookings.check(new Load(broker.url()).exactly(CLIENTS, BOOKINGS, bookings));
        report.accept(Figure.of(
                        NAME,
                        "resident memory after " + BOOKINGS + " bookings",
                        "MB",
                        Machine.residentMegabytes(broker.pid()))
                .atMost(350));
        Ledger.check(ground.sql(), bookings.confirmed());
    }
}
