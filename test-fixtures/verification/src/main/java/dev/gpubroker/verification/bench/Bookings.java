package dev.gpubroker.verification.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.bench.Wire.Reply;
import dev.gpubroker.verification.lab.Api;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Bookings of own capacity at any hour of the next weeks, the same ones in each run. */
final class Bookings implements Load.Call {
    private static final AtomicLong KEYS = new AtomicLong();

    private final String model;
    private final List<Integer> counts;
    private final int shortest;
    private final int longest;
    private final int hours;
    private final Instant from;
    private final SplittableRandom random = new SplittableRandom(42);
    private final List<String> confirmed = new ArrayList<>();
    private long refused;
    private long failed;

    private Bookings(String model, List<Integer> counts, int shortest, int longest, int days, Instant now) {
        this.model = model;
        this.counts = counts;
        this.shortest = shortest;
        this.longest = longest;
        this.hours = days * 24;
        this.from = now.truncatedTo(ChronoUnit.DAYS).plus(2, ChronoUnit.DAYS);
    }

    /** As teams make them: one to eight GPUs for half a day to three days. */
    static Bookings spread(String model, int days, Instant now) {
        return new Bookings(model, List.of(1, 2, 4, 8, 8), 12, 72, days, now);
    }

    /** Short ones, so that a small pool has room for many. */
    static Bookings hot(String model, int days, Instant now) {
        return new Bookings(model, List.of(1, 1, 2, 4, 8), 1, 3, days, now);
    }

    @Override
    public Reply send(Wire wire, long number) throws IOException {
        return wire.post("/v1/reservations", next().toString(), "load-" + KEYS.incrementAndGet());
    }

    private synchronized ObjectNode next() {
        Instant start = from.plus(random.nextInt(hours), ChronoUnit.HOURS);
        Instant end = start.plus(random.nextInt(shortest, longest + 1), ChronoUnit.HOURS);
        return body(model, counts.get(random.nextInt(counts.size())), start, end);
    }

    /**
     * Looks at every answer of a run.
     *
     * @return how many of them failed, as those of a broker that is asked for more than it can do
     * @throws Wrong if one is neither a confirmed booking nor {@code no_capacity} nor a failure
     */
    long check(Load.Outcome outcome) throws IOException {
        long before = failed;
        for (Reply reply : outcome.replies()) {
            if (reply.status() == 201 && reply.body().contains("\"state\":\"confirmed\"")) {
                confirmed.add(Api.JSON.readTree(reply.body()).get("id").textValue());
            } else if (reply.status() == 409 && reply.body().contains("\"no_capacity\"")) {
                refused++;
            } else if (reply.status() >= 500) {
                failed++;
            } else {
                throw new Wrong("a booking was answered " + reply.status() + " " + reply.body());
            }
        }
        return failed - before;
    }

    /** Ids of the reservations that were acknowledged. */
    List<String> confirmed() {
        return confirmed;
    }

    long refused() {
        return refused;
    }

    /** A booking of own capacity, and of nothing else. */
    static ObjectNode body(String model, int count, Instant start, Instant end) {
        ObjectNode body = Api.JSON.createObjectNode();
        body.putObject("gpu").put("model", model).put("count", count);
        body.put("start", text(start)).put("end", text(end)).put("title", "load");
        body.putObject("constraints").putArray("platforms").add("pool");
        body.putObject("substitution").put("mode", "never");
        return body;
    }

    static String text(Instant instant) {
        return DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(instant.atOffset(ZoneOffset.UTC));
    }
}
