package dev.gpubroker.verification.bench;

import dev.gpubroker.verification.bench.Load.Outcome;
import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** {@code book}: durable bookings of own capacity over HTTP, spread over 1,250 machines. */
final class BookBench implements Benchmark {
    private static final String NAME = "book";
    private static final String MODEL = "A100-SXM4-80GB";
    private static final int POOLS = 10;
    private static final int NODES = 125;
    private static final int CLIENTS = 16;
    /** Enough that the broker, not the generator, decides how many are under way. */
    private static final int CONNECTIONS = 64;

    private static final int OFFERED = 200;
    private static final int DAYS = 45;
    private static final Duration WARM_UP = Duration.ofSeconds(10);

    private final List<Double> peak = new ArrayList<>();
    private final List<Double> peakP99 = new ArrayList<>();
    private final List<Double> p50 = new ArrayList<>();
    private final List<Double> p99 = new ArrayList<>();
    private final List<Double> brokerCost = new ArrayList<>();
    private final List<Double> databaseCost = new ArrayList<>();
    private final List<Double> failed = new ArrayList<>();
    private final List<Double> baseline = new ArrayList<>();

    @Override
    public void run(Bench.Options options, Consumer<Figure> report) throws Exception {
        try (Ground ground = Ground.make(options, NAME)) {
            Optional<PgBench> pgbench = prepare(ground);
            BrokerProcess broker = ground.broker("measured");
            Load load = new Load(broker.url());
            Cost cost = new Cost(ground, broker);
            Bookings bookings = Bookings.spread(MODEL, DAYS, Instant.now());
            bookings.check(load.closed(CLIENTS, WARM_UP, bookings));
            for (int run = 0; run < options.runs(); run++) {
                measure(load, cost, bookings, options.length());
                if (pgbench.isPresent()) {
                    baseline.add(pgbench.get().run(CLIENTS, options.length()));
                }
            }
            Ledger.check(ground.sql(), bookings.confirmed());
            report(report);
        }
    }

    /** Makes the pools and, with them, what the baseline needs; its broker is gone afterwards. */
    private static Optional<PgBench> prepare(Ground ground) throws IOException, InterruptedException, SQLException {
        Instant first = Instant.now().truncatedTo(ChronoUnit.DAYS).plus(2, ChronoUnit.DAYS);
        try (BrokerProcess broker = ground.broker("preparing")) {
            for (int i = 1; i <= POOLS; i++) {
                Ground.pool(broker, "pool-" + i, MODEL, NODES);
            }
            ground.sql().run("ANALYZE");
            String script = BookingSql.capture(ground, broker, MODEL, first, PgBench.length());
            broker.stop();
            return PgBench.prepare(ground, script, first, DAYS);
        }
    }

    private void measure(Load load, Cost cost, Bookings bookings, Duration length)
            throws IOException, InterruptedException {
        Outcome offered = load.open(CONNECTIONS, OFFERED, length, bookings);
        failed.add((double) bookings.check(offered));
        p50.add(offered.latencies().percentile(50));
        p99.add(offered.latencies().percentile(99));
        cost.begin();
        Outcome closed = load.closed(CLIENTS, length, bookings);
        Cost.PerCall each = cost.perCall(closed.replies().size());
        brokerCost.add(each.broker());
        databaseCost.add(each.database());
        long lost = bookings.check(closed);
        peak.add((closed.replies().size() - lost) / (closed.took().toNanos() / 1e9));
        peakP99.add(closed.latencies().percentile(99));
    }

    private void report(Consumer<Figure> report) {
        report.accept(Figure.of(NAME, "p50 at " + OFFERED + "/s", "ms", p50));
        report.accept(Figure.of(NAME, "p99 at " + OFFERED + "/s", "ms", p99).atMost(30));
        report.accept(Figure.of(NAME, "failed at " + OFFERED + "/s", "answers", failed)
                .atMost(0));
        report.accept(Figure.of(NAME, "p99 of " + CLIENTS + " clients", "ms", peakP99));
        report.accept(Figure.of(NAME, "processor time of the broker", "ms/booking", brokerCost));
        report.accept(Figure.of(NAME, "processor time of PostgreSQL", "ms/booking", databaseCost));
        Figure most = Figure.of(NAME, "peak of " + CLIENTS + " clients", "bookings/s", peak);
        if (baseline.isEmpty()) {
            report.accept(most.saying("pgbench is not installed, so there is nothing to compare with"));
            return;
        }
        Figure pgbench = Figure.of(NAME, "pgbench, same SQL, " + CLIENTS + " clients", "bookings/s", baseline);
        report.accept(most.against(pgbench.median()));
        report.accept(pgbench);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < peak.size(); i++) {
            ratios.add(peak.get(i) / baseline.get(i));
        }
        report.accept(Figure.of(NAME, "peak / pgbench", "ratio", ratios).atLeast(0.4));
    }
}
