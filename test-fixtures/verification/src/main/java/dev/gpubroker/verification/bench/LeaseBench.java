package dev.gpubroker.verification.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.verification.bench.Load.Outcome;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * {@code lease}: a thousand jobs wait for one machine, each by long polls, and it is given back; ten thousand jobs hold a GPU
 * each and send heartbeats.
 */
final class LeaseBench implements Benchmark {
    private static final String NAME = "lease";
    private static final int IN_LINE = 1_000;
    private static final int RELEASES_PER_RUN = 10;
    private static final int HELD = 10_000;
    private static final Duration BEAT_EVERY = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    /** Pools are looked at whole, so what is measured before must not be large. */
    private static final int POOLS = 50;

    private static final int NODES = 25;
    private static final int CLIENTS = 8;
    private static final int PATIENCE_SECONDS = 30;
    private static final String IN_ORDER =
            "SELECT lease_id FROM lease WHERE state = 'queued' ORDER BY priority DESC, joined_at, lease_id";

    @Override
    public void run(Bench.Options options, Consumer<Figure> report) throws Exception {
        try (Ground ground = Ground.make(options, NAME)) {
            BrokerProcess broker = ground.broker("measured");
            releases(ground, broker, options.runs(), report);
        }
        try (Ground ground = Ground.make(options, NAME + "-held")) {
            heartbeats(ground, ground.broker("measured"), options.runs(), report);
        }
    }

    // ---- one release, a thousand in line --------------------------------------------------------------------

    private static void releases(Ground ground, BrokerProcess broker, int runs, Consumer<Figure> report)
            throws IOException, InterruptedException, SQLException {
        Ground.pool(broker, "wanted", "A100-SXM4-80GB", 1);
        Api api = Ground.api(broker);
        String body = "{\"pool\":\"wanted\",\"gpus\":8,\"ttl\":\"PT1H\"}";
        String holder = lease(api, body, "holder").get("id").asText();
        int all = IN_LINE + runs * RELEASES_PER_RUN;
        new Load(broker.url()).exactly(4, all, (wire, number) -> asked(wire, body, "waits-" + number, 202));
        List<String> line = ground.sql().texts(IN_ORDER);
        Cost cost = new Cost(ground, broker);
        List<Double> waits = new ArrayList<>();
        List<Double> broker10 = new ArrayList<>();
        try (Pollers pollers = Pollers.of(broker.url(), BrokerProcess.TOKEN, line)) {
            for (int run = 0; run < runs; run++) {
                cost.begin();
                for (int i = 0; i < RELEASES_PER_RUN; i++) {
                    String expected = line.get(waits.size());
                    long sent = System.nanoTime();
                    api.call("DELETE", "/v1/leases/" + holder, null, java.util.Map.of());
                    Pollers.Held held = pollers.next(PATIENCE_SECONDS);
                    if (!held.lease().equals(expected)) {
                        throw new Wrong(held.lease() + " was given what " + expected + " was first in line for");
                    }
                    waits.add((held.at() - sent) / 1e6);
                    holder = held.lease();
                }
                broker10.add(cost.perCall(RELEASES_PER_RUN).broker());
            }
            if (pollers.told() != waits.size()) {
                throw new Wrong(pollers.told() + " hold what " + waits.size() + " releases gave");
            }
        }
        report.accept(Figure.of(NAME, "from release to the next job's answer, " + IN_LINE + " in line", "ms", waits)
                .atMost(200));
        report.accept(Figure.of(NAME, "processor time of the broker", "ms/release", broker10));
    }

    private static JsonNode lease(Api api, String body, String key) throws IOException, InterruptedException {
        Api.Answer answer = api.post("/v1/leases", Api.JSON.readTree(body), key);
        if (answer.status() != 201) {
            throw new IOException("a lease was answered " + answer.status() + ": " + answer.body());
        }
        return answer.body();
    }

    private static Wire.Reply asked(Wire wire, String body, String key, int status) throws IOException {
        Wire.Reply reply = wire.post("/v1/leases", body, key);
        if (reply.status() != status) {
            throw new IOException("a lease was answered " + reply.status() + ": " + reply.body());
        }
        return reply;
    }

    // ---- ten thousand heartbeats --------------------------------------------------------------------------------

    private static void heartbeats(Ground ground, BrokerProcess broker, int runs, Consumer<Figure> report)
            throws IOException, InterruptedException, SQLException {
        for (int i = 0; i < POOLS; i++) {
            Ground.pool(broker, "pool-" + i, "A100-SXM4-80GB", NODES);
        }
        Load load = new Load(broker.url());
        load.exactly(
                CLIENTS,
                HELD,
                (wire, number) -> asked(
                        wire,
                        "{\"pool\":\"pool-" + number % POOLS + "\",\"gpus\":1,\"ttl\":\"PT1H\"}",
                        "held-" + number,
                        201));
        ground.sql().run("VACUUM ANALYZE lease, allocation, due_work");
        List<String> leases = ground.sql().texts("SELECT lease_id FROM lease ORDER BY md5(lease_id)");
        double ownRate = ownRate(ground, broker);
        List<Double> cores = new ArrayList<>();
        List<Double> databaseCores = new ArrayList<>();
        List<Double> p99 = new ArrayList<>();
        becomeUsual(ground);
        beats(load, leases, MINUTE.multipliedBy(2)); // Until the compiler has seen everything.
        Cost cost = new Cost(ground, broker);
        for (int run = 0; run < runs; run++) {
            cost.begin();
            Outcome outcome = beats(load, leases, MINUTE);
            Cost.PerCall perSecond =
                    cost.perCall(Math.max(1, Math.round(outcome.took().toMillis() / 1e3)));
            cores.add(perSecond.broker() / 1e3 - ownRate);
            databaseCores.add(perSecond.database() / 1e3);
            p99.add(outcome.latencies().percentile(99));
        }
        long held = ground.sql().number("SELECT count(*) FROM lease WHERE state = 'held'");
        if (held != HELD) {
            throw new Wrong("only " + held + " of " + HELD + " leases are still held");
        }
        report.accept(Figure.of(NAME, "heartbeats of " + HELD + " leases every 30 s", "cores", cores)
                .atMost(0.2)
                .saying("less what the broker needs without them: " + Math.round(ownRate * 1e3) / 1e3));
        report.accept(Figure.of(NAME, "PostgreSQL meanwhile", "cores", databaseCores));
        report.accept(Figure.of(NAME, "p99 of a heartbeat", "ms", p99));
    }

    /** Cores that the broker needs while leases are held and nobody calls. */
    private static double ownRate(Ground ground, BrokerProcess broker) throws IOException, InterruptedException {
        Cost cost = new Cost(ground, broker);
        cost.begin();
        Thread.sleep(MINUTE.toMillis()); // What is measured is what the broker does by itself.
        return cost.perCall(MINUTE.toSeconds()).broker() / 1e3;
    }

    /** As if each had been asked for with the usual ttl some time ago: the looks for silence are spread over it. */
    private static void becomeUsual(Ground ground) throws SQLException {
        ground.sql()
                .run(
                        "UPDATE lease SET ttl_seconds = 120, heartbeat_at = clock_timestamp() WHERE state = 'held'",
                        "UPDATE due_work SET due_at = clock_timestamp() + random() * interval '120 s' WHERE kind = 'lease'");
    }

    /** Each on a connection of its own, as the command for jobs sends them. */
    private static Outcome beats(Load load, List<String> leases, Duration length)
            throws IOException, InterruptedException {
        double perSecond = (double) HELD / BEAT_EVERY.toSeconds();
        return load.open(CLIENTS, perSecond, length, (wire, number) -> {
            String lease = leases.get((int) (number % leases.size()));
            try (Wire own = wire.another()) {
                Wire.Reply reply = own.post("/v1/leases/" + lease + "/heartbeat");
                if (reply.status() != 200) {
                    throw new IOException("a heartbeat was answered " + reply.status() + ": " + reply.body());
                }
                return reply;
            }
        });
    }
}
