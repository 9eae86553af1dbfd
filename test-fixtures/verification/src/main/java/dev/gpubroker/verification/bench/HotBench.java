package dev.gpubroker.verification.bench;

import dev.gpubroker.verification.bench.Load.Outcome;
import dev.gpubroker.verification.lab.BrokerProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** {@code book-hot}: everybody wants the same eight machines. */
final class HotBench implements Benchmark {
    private static final String NAME = "book-hot";
    /** A pool for each run, told apart by its model: none of them shall be full before its run ends. */
    private static final List<String> MODELS =
            List.of("A100-SXM4-80GB", "H100-SXM5-80GB", "RTX4090", "H200-SXM-141GB", "L20");

    private static final int NODES = 8;
    private static final int CLIENTS = 16;
    private static final int CONNECTIONS = 64;
    private static final int OFFERED = 100;
    private static final int DAYS = 45;
    private static final Duration WARM_UP = Duration.ofSeconds(10);
    private static final String DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";

    @Override
    public void run(Bench.Options options, Consumer<Figure> report) throws Exception {
        List<Double> p50 = new ArrayList<>();
        List<Double> p99 = new ArrayList<>();
        List<Double> peak = new ArrayList<>();
        List<Double> peakP99 = new ArrayList<>();
        List<Double> failed = new ArrayList<>();
        try (Ground ground = Ground.make(options, NAME)) {
            BrokerProcess broker = ground.broker("measured");
            Load load = new Load(broker.url());
            Ground.pool(broker, "warm-up", "V100-SXM2-32GB", NODES);
            Bookings warmUp = Bookings.hot("V100-SXM2-32GB", DAYS, Instant.now());
            warmUp.check(load.closed(CLIENTS, WARM_UP, warmUp));
            for (int run = 0; run < Math.min(options.runs(), MODELS.size()); run++) {
                Ground.pool(broker, "hot-" + run, MODELS.get(run), NODES);
                Bookings bookings = Bookings.hot(MODELS.get(run), DAYS, Instant.now());
                Outcome offered = load.open(CONNECTIONS, OFFERED, options.length(), bookings);
                failed.add((double) bookings.check(offered));
                p50.add(offered.latencies().percentile(50));
                p99.add(offered.latencies().percentile(99));
                Outcome closed = load.closed(CLIENTS, options.length(), bookings);
                bookings.check(closed);
                peak.add(closed.perSecond());
                peakP99.add(closed.latencies().percentile(99));
                Ledger.check(ground.sql(), bookings.confirmed());
                Bench.say(bookings.confirmed().size() + " booked, " + bookings.refused() + " refused as full");
            }
            long deadlocks = ground.sql().number(DEADLOCKS);
            report.accept(Figure.of(NAME, "p50 at " + OFFERED + "/s", "ms", p50));
            report.accept(Figure.of(NAME, "p99 at " + OFFERED + "/s", "ms", p99).atMost(100));
            report.accept(Figure.of(NAME, "failed at " + OFFERED + "/s", "answers", failed)
                    .atMost(0));
            report.accept(Figure.of(NAME, "answers to " + CLIENTS + " clients", "answers/s", peak));
            report.accept(Figure.of(NAME, "p99 of " + CLIENTS + " clients", "ms", peakP99));
            report.accept(
                    Figure.of(NAME, "deadlocks", "count", (double) deadlocks).atMost(0));
        }
    }
}
