package dev.gpubroker.verification.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.bench.Wire.Reply;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * {@code search}: the earliest window for 8 GPUs over five days in a full ledger of 10,000 GPUs, as a caller gets it: the
 * {@code freeWindows} of a booking that was refused.
 */
final class SearchBench implements Benchmark {
    private static final String NAME = "search";
    private static final String MODEL = "A100-SXM4-80GB";
    private static final int POOLS = 10;
    private static final int NODES = 125;
    private static final Duration LENGTH = Duration.ofDays(5);
    private static final Duration HORIZON = Duration.ofDays(56);
    /** Where the one window is that fits, and on which machine. */
    private static final int PLANTED_DAY = 28;

    private static final int PLANTED_MACHINE = 777;
    private static final int ENDED_PER_MACHINE = 720;
    private static final AtomicLong KEYS = new AtomicLong();

    @Override
    public void run(Bench.Options options, Consumer<Figure> report) throws Exception {
        try (Ground ground = Ground.make(options, NAME)) {
            BrokerProcess broker = ground.broker("measured");
            for (int i = 1; i <= POOLS; i++) {
                Ground.pool(broker, "pool-" + i, MODEL, NODES);
            }
            Instant day = Instant.now().truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS);
            Rectangles ledger = new Rectangles(ground.sql());
            ledger.live(day.minus(3, ChronoUnit.DAYS));
            ledger.clear(PLANTED_MACHINE, day.plus(PLANTED_DAY, ChronoUnit.DAYS), LENGTH);
            Bench.say(ledger.liveCount() + " bookings in the ledger");
            check(broker, ledger, day);
            Cost cost = new Cost(ground, broker);
            List<Double> full = measure(broker, cost, day, options);
            ledger.ended(day.minus(4, ChronoUnit.DAYS), ENDED_PER_MACHINE);
            check(broker, ledger, day);
            List<Double> withEnded = measure(broker, cost, day, options);
            Figure before =
                    Figure.of(NAME, "p99, 100 thousand live", "ms", full).atMost(50);
            report.accept(before);
            report.accept(Figure.of(NAME, "p99, 900 thousand ended beside them", "ms", withEnded)
                    .atMost(50)
                    .against(before.median()));
        }
    }

    private static List<Double> measure(BrokerProcess broker, Cost cost, Instant day, Bench.Options options)
            throws IOException, InterruptedException {
        Load load = new Load(broker.url());
        Load.Call ask = (wire, number) -> ask(wire, 8, day);
        load.closed(1, options.length(), ask); // Warms up.
        List<Double> p99 = new ArrayList<>();
        for (int run = 0; run < options.runs(); run++) {
            cost.begin();
            Load.Outcome outcome = load.closed(1, options.length(), ask);
            if (outcome.withStatus(409) != outcome.replies().size()) {
                throw new Wrong("a full ledger booked, or failed: "
                        + outcome.replies().stream()
                                .filter(reply -> reply.status() != 409)
                                .findFirst()
                                .map(Reply::body)
                                .orElse(""));
            }
            Bench.say(outcome.replies().size() + " searches, p50 "
                    + outcome.latencies().percentile(50) + " ms, processor time each in ms: "
                    + cost.perCall(outcome.replies().size()));
            p99.add(outcome.latencies().percentile(99));
        }
        return p99;
    }

    private static Reply ask(Wire wire, int gpus, Instant start) throws IOException {
        ObjectNode body = Bookings.body(MODEL, gpus, start, start.plus(LENGTH));
        return wire.post("/v1/reservations", body.toString(), "search-" + KEYS.incrementAndGet());
    }

    /** Every size that does not fit at once, against the plain search. */
    private static void check(BrokerProcess broker, Rectangles ledger, Instant day) throws IOException, SQLException {
        try (Wire wire = new Wire(broker.url(), BrokerProcess.TOKEN)) {
            for (int gpus : List.of(8, 6, 5, 4, 3, 2, 1)) {
                Reply reply = ask(wire, gpus, day);
                if (reply.status() != 409) {
                    throw new Wrong(gpus + " GPUs for five days fit where every gap is shorter: " + reply.body());
                }
                JsonNode windows = Api.JSON.readTree(reply.body()).path("freeWindows");
                Optional<Instant> told = windows.isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                OffsetDateTime.parse(windows.get(0).get("start").asText())
                                        .toInstant());
                Optional<Instant> right = ledger.earliest(day, Instant.now().plus(HORIZON), gpus, LENGTH);
                if (!told.equals(right)) {
                    throw new Wrong("the earliest window for " + gpus + " GPUs is " + right + ", told was " + told);
                }
            }
        }
    }
}
