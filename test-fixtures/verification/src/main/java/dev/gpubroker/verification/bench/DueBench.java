package dev.gpubroker.verification.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** {@code due}: hundreds and thousands of pool bookings begin in the same minute, with one broker and with three. */
final class DueBench implements Benchmark {
    private static final String NAME = "due";
    private static final String MODEL = "A100-SXM4-80GB";
    private static final int FEW = 500;
    private static final int MANY = 5_000;
    private static final int GPUS_PER_NODE = 8;
    /** Between the last preparation and the full hour; longer than a scan, so that no broker is still busy with it. */
    private static final Duration AHEAD = Duration.ofSeconds(20);

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private int pools;

    @Override
    public void run(Bench.Options options, Consumer<Figure> report) throws Exception {
        try (Ground ground = Ground.make(options, NAME)) {
            BrokerProcess broker = ground.broker("one");
            measure(ground, broker, new Cost(ground, broker), options.runs(), "1 broker", report);
            Cost ofAll = new Cost(ground, broker, ground.broker("two"), ground.broker("three"));
            measure(ground, broker, ofAll, options.runs(), "3 brokers", report);
        }
    }

    private void measure(
            Ground ground, BrokerProcess broker, Cost cost, int runs, String brokers, Consumer<Figure> report)
            throws Exception {
        List<Double> few = new ArrayList<>();
        List<Double> many = new ArrayList<>();
        List<Double> growth = new ArrayList<>();
        List<Double> ofBrokers = new ArrayList<>();
        List<Double> ofDatabase = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            few.add(seconds(ground, broker, FEW));
            cost.begin();
            many.add(seconds(ground, broker, MANY));
            Cost.PerCall each = cost.perCall(MANY);
            ofBrokers.add(each.broker());
            ofDatabase.add(each.database());
            growth.add(many.get(run) / MANY / (few.get(run) / FEW));
        }
        report.accept(Figure.of(NAME, FEW + " starts, " + brokers, "s", few).atMost(10));
        report.accept(Figure.of(NAME, MANY + " starts, " + brokers, "s", many));
        report.accept(Figure.of(NAME, "time per start, " + MANY + " to " + FEW + ", " + brokers, "ratio", growth)
                .atMost(1.2));
        report.accept(Figure.of(NAME, "processor time, " + brokers, "ms/start", ofBrokers));
        report.accept(Figure.of(NAME, "processor time of PostgreSQL, " + brokers, "ms/start", ofDatabase)
                .saying("with the copying of the bookings before"));
    }

    /** From the full hour at which all of them begin until the last is active, by the broker's own stamps. */
    private double seconds(Ground ground, BrokerProcess broker, int starts)
            throws IOException, InterruptedException, SQLException {
        String pool = "pool-" + ++pools;
        Ground.pool(broker, pool, MODEL, (starts + GPUS_PER_NODE - 1) / GPUS_PER_NODE);
        Api api = Ground.api(broker);
        Instant hour = now(api).truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS);
        if (now(api).plus(Duration.ofMinutes(10)).isAfter(hour)) {
            hour = hour.plus(1, ChronoUnit.HOURS);
        }
        book(api, hour, pool);
        copy(ground.sql(), pool, hour, starts);
        move(api, hour.minus(AHEAD));
        String active = "SELECT count(*) FROM reservation WHERE title = '" + pool + "' AND state = 'active'";
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (ground.sql().number(active) < starts) {
            if (System.nanoTime() - deadline > 0) {
                throw new Wrong("only " + ground.sql().number(active) + " of " + starts + " began within " + PATIENCE);
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        long millis = ground.sql()
                .number("SELECT (extract(epoch FROM max(e.at) - timestamptz '" + PgText.of(hour) + "') * 1000)::bigint"
                        + " FROM reservation_event e JOIN reservation r USING (reservation_id)"
                        + " WHERE r.title = '" + pool + "' AND e.after->>'state' = 'active'");
        Bench.say(starts + " starts in " + millis + " ms");
        return millis / 1e3;
    }

    private static void book(Api api, Instant start, String title) throws IOException, InterruptedException {
        ObjectNode body = Bookings.body(MODEL, 1, start, start.plus(40, ChronoUnit.DAYS));
        body.put("title", title);
        Api.Answer booked = api.post("/v1/reservations", body, "due-" + title);
        if (!booked.isOk()) {
            throw new Wrong("an empty pool refuses a booking: " + booked.body());
        }
    }

    private static final String COPIED =
            "team_id, owner, title, labels, state, health, request, model, gpu_count, during, plan, assignment, quote, terms,"
                    + " explanation, blockers, next_what, next_at, priority, attempts, was_claimed, version, created_at, updated_at";

    /** One booking through the API, the others copies of it on the pool's other GPUs: only their start is measured. */
    private static void copy(Sql sql, String pool, Instant start, int starts) throws SQLException {
        sql.run(
                """
                CREATE TEMPORARY TABLE spot AS
                SELECT first.reservation_id || '_' || row_number() OVER (ORDER BY n.node_id, gpu) AS id, n.node_id, gpu
                  FROM reservation first, node n JOIN pool p USING (pool_id), generate_series(0, n.gpus - 1) AS gpu
                 WHERE first.title = '%1$s' AND p.name = '%1$s'
                   AND NOT EXISTS (SELECT FROM allocation a WHERE a.live AND a.node_id = n.node_id AND a.gpus @> gpu)
                 LIMIT %2$d""".formatted(pool, starts - 1),
                """
                INSERT INTO reservation (reservation_id, %2$s)
                SELECT spot.id, %2$s FROM reservation, spot WHERE title = '%1$s'""".formatted(pool, COPIED),
                """
                INSERT INTO allocation (layer, node_id, gpus, during, reservation_id, created_at)
                SELECT 0, spot.node_id, int4range(gpu, gpu + 1), during, id, created_at
                  FROM spot JOIN reservation ON reservation_id = id""",
                """
                INSERT INTO due_work (kind, subject, due_at)
                SELECT 'reservation', id, timestamptz '%s' FROM spot""".formatted(PgText.of(start)),
                "ANALYZE");
    }

    private static Instant now(Api api) throws IOException, InterruptedException {
        return OffsetDateTime.parse(api.get("/v1/demo/clock").body().get("now").textValue())
                .toInstant();
    }

    private static void move(Api api, Instant to) throws IOException, InterruptedException {
        Api.Answer moved =
                api.post("/v1/demo/clock", Api.JSON.createObjectNode().put("set", Bookings.text(to)));
        if (!moved.isOk()) {
            throw new IOException("the demo clock does not move: " + moved.body());
        }
    }
}
