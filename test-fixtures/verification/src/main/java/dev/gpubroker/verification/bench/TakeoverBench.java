package dev.gpubroker.verification.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import dev.gpubroker.verification.lab.SimulatorControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** {@code takeover}: a broker is killed while it works on a claim, and another one goes on with it. */
final class TakeoverBench implements Benchmark {
    private static final String NAME = "takeover";
    private static final String PLATFORM = "aliyun";
    private static final String MODEL = "A100-SXM4-80GB";
    /** How long a worker holds its work, the longest claim call of a simulated platform, and what is granted on top. */
    private static final int LIMIT_SECONDS = 20 + 4 + 5;

    private static final Duration HANG = Duration.ofMillis(3_500);
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Ground ground;
    private final SimulatorControl simulators;
    private final Map<String, String> settings;

    private TakeoverBench(Ground ground, SimulatorControl simulators, Map<String, String> settings) {
        this.ground = ground;
        this.simulators = simulators;
        this.settings = settings;
    }

    static Benchmark make() {
        return (options, report) -> {
            try (Ground ground = Ground.make(options, NAME)) {
                Path file = ground.folder().resolve("gpu-broker.yaml");
                Files.writeString(file, "policy: {acquireLead: PT3H}\n"); // What is booked for soon is bought at once.
                SimulatorControl simulators = ground.simulators();
                simulators.stock(PLATFORM, MODEL, 8, 50);
                new TakeoverBench(ground, simulators, Map.of("GPU_BROKER_CONFIG", file.toString()))
                        .run(options, report);
            }
        };
    }

    @Override
    public void run(Bench.Options options, Consumer<Figure> report) throws Exception {
        List<Double> bought = new ArrayList<>();
        List<Double> nothing = new ArrayList<>();
        BrokerProcess other = ground.broker("survivor", settings);
        for (int run = 0; run < options.runs(); run++) {
            bought.add(afterThePurchase(other, run));
            nothing.add(duringTheCall(other, run));
        }
        check(other);
        report.accept(
                Figure.of(NAME, "bought, answer and broker lost: until another has finished the claim", "s", bought)
                        .atMost(LIMIT_SECONDS));
        report.accept(Figure.of(NAME, "killed in the call: until another looks for the claim", "s", nothing)
                .atMost(LIMIT_SECONDS));
    }

    private double afterThePurchase(BrokerProcess other, int run)
            throws IOException, InterruptedException, SQLException {
        simulators.fault(PLATFORM, "claim", "lose_reply", 1, Duration.ZERO);
        int before = simulators.machines().size();
        return takeover(other, "bought-" + run, () -> simulators.machines().size() > before, "claimed");
    }

    private double duringTheCall(BrokerProcess other, int run) throws IOException, InterruptedException, SQLException {
        simulators.fault(PLATFORM, "claim", "hang", 1, HANG);
        return takeover(
                other,
                "called-" + run,
                () -> ground.sql()
                                .number(
                                        "SELECT count(*) FROM claim WHERE state = 'intended' AND arrives_by IS NOT NULL")
                        > 0,
                "unknown', 'claimed', 'absent");
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds() throws IOException, InterruptedException, SQLException;
    }

    /**
     * The other one stands still until the first is dead, so that it is surely the first that has the claim in hand.
     *
     * @param killWhen when the first is killed
     * @return seconds from the kill until the claim is in one of the states
     */
    private double takeover(BrokerProcess other, String name, Condition killWhen, String states)
            throws IOException, InterruptedException, SQLException {
        try (BrokerProcess killed = ground.broker(name, settings)) {
            other.freeze();
            try {
                String id = book(killed, name);
                await(killWhen, "the claim was sent");
                killed.kill();
                long dead = System.nanoTime();
                other.thaw();
                await(
                        () -> ground.sql()
                                        .number("SELECT count(*) FROM claim WHERE reservation_id = '" + id
                                                + "' AND state IN ('" + states + "')")
                                > 0,
                        "another broker went on");
                double seconds = (System.nanoTime() - dead) / 1e9;
                Bench.say(name + ": " + seconds + " s");
                return seconds;
            } finally {
                other.thaw();
            }
        }
    }

    private static void await(Condition condition, String what) throws IOException, InterruptedException, SQLException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - deadline > 0) {
                throw new Wrong("it did not come true within " + PATIENCE + " that " + what);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static String book(BrokerProcess broker, String title) throws IOException, InterruptedException {
        Instant start = Instant.now().truncatedTo(ChronoUnit.HOURS).plus(2, ChronoUnit.HOURS);
        ObjectNode body = Api.JSON.createObjectNode();
        body.putObject("gpu").put("model", MODEL).put("count", 8);
        body.put("start", Bookings.text(start)).put("end", Bookings.text(start.plus(2, ChronoUnit.DAYS)));
        body.putObject("constraints").putArray("platforms").add(PLATFORM);
        body.putObject("substitution").put("mode", "never");
        Api.Answer booked = Ground.api(broker).post("/v1/reservations", body, title);
        if (!booked.isOk()) {
            throw new IOException("not booked: " + booked.body());
        }
        return booked.body().get("id").textValue();
    }

    /** Long enough later that every claim is settled: no reservation may have more than its one machine. */
    private void check(BrokerProcess broker) throws IOException, InterruptedException, SQLException {
        simulators.clearFaults(PLATFORM);
        Api.Answer moved = Ground.api(broker)
                .post("/v1/demo/clock", Api.JSON.createObjectNode().put("advance", "PT30M"));
        if (!moved.isOk()) {
            throw new IOException("the demo clock does not move: " + moved.body());
        }
        await(
                () -> ground.sql()
                                .number("SELECT count(*) FROM claim WHERE state IN ('intended', 'accepted', 'unknown')")
                        == 0,
                "every claim was settled");
        long live = simulators.machines().stream()
                .filter(SimulatorControl.Machine::isLive)
                .count();
        long ours = ground.sql().number("SELECT count(*) FROM claim WHERE state = 'claimed'");
        long twice = ground.sql()
                .number("SELECT count(*) FROM (SELECT FROM claim WHERE state = 'claimed' GROUP BY reservation_id"
                        + " HAVING count(*) > 1) many");
        if (live != ours || twice > 0) {
            throw new Wrong(
                    live + " machines run, " + ours + " are in the ledger, " + twice + " reservations have two");
        }
    }
}
