package dev.gpubroker.verification.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.verification.bench.Wire.Reply;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;

/** {@code fan-out}: a quote over twelve platforms that answer after 20 to 200 ms; then one of them hangs. */
final class FanOutBench implements Benchmark {
    private static final String NAME = "fan-out";
    private static final Duration FASTEST = Duration.ofMillis(20);
    private static final Duration SLOWEST = Duration.ofMillis(200);
    /** What a person waits for a quote, whoever is silent (the broker's own limit). */
    private static final Duration DEADLINE = Duration.ofSeconds(2);

    private static final int WARM_UP = 40;
    private static final int QUOTES = 30;
    /** The platform's breaker opens with the fifth, and then nobody waits for it any more. */
    private static final int QUOTES_WHILE_HANGING = 4;

    private static final AtomicLong HOURS = new AtomicLong();

    /** Answers that lack a platform which only was slower than the deadline, as on a busy machine. */
    private int incomplete;

    @Override
    public void run(Bench.Options options, Consumer<Figure> report) throws Exception {
        try (Ground ground = Ground.make(options, NAME)) {
            Path hangs = ground.folder().resolve("platform-hangs");
            Path settings = ground.folder().resolve("gpu-broker.yaml");
            Files.writeString(settings, accounts(hangs));
            BrokerProcess broker = ground.withJar(services(ground.folder()))
                    .broker("measured", Map.of("GPU_BROKER_CONFIG", settings.toString()));
            try (Wire wire = new Wire(broker.url(), BrokerProcess.TOKEN)) {
                for (int i = 0; i < WARM_UP; i++) {
                    quote(wire, 12);
                }
                incomplete = 0;
                List<Double> healthy = new ArrayList<>();
                for (int run = 0; run < options.runs(); run++) {
                    long[] nanos = new long[QUOTES];
                    for (int i = 0; i < QUOTES; i++) {
                        nanos[i] = quote(wire, 12) - SLOWEST.toNanos();
                    }
                    healthy.add(new Latencies(nanos).percentile(50));
                }
                Files.createFile(hangs);
                List<Double> hanging = new ArrayList<>();
                for (int i = 0; i < QUOTES_WHILE_HANGING; i++) {
                    hanging.add((quote(wire, 11) - DEADLINE.toNanos()) / 1e6);
                }
                report.accept(Figure.of(NAME, "beyond the slowest of 12 platforms, p50", "ms", healthy)
                        .atMost(15));
                report.accept(Figure.of(NAME, "quotes without a platform that answers", "count", incomplete)
                        .atMost(0));
                report.accept(Figure.of(NAME, "beyond the deadline while one hangs", "ms", hanging)
                        .atMost(50));
            }
        }
    }

    /** @return how long it took, in nanoseconds */
    private long quote(Wire wire, int answering) throws IOException {
        Instant start =
                Instant.now().truncatedTo(ChronoUnit.HOURS).plus(24 + HOURS.incrementAndGet() % 500, ChronoUnit.HOURS);
        ObjectNode body = Api.JSON.createObjectNode();
        body.putObject("gpu").put("model", SlowPlatform.MODEL).put("count", 8);
        body.put("start", Bookings.text(start)).put("end", Bookings.text(start.plus(2, ChronoUnit.DAYS)));
        body.putObject("substitution").put("mode", "never");
        long sent = System.nanoTime();
        Reply reply = wire.post("/v1/quotes", body.toString(), "quote-" + HOURS.get());
        long took = System.nanoTime() - sent;
        JsonNode answer = Api.JSON.readTree(reply.body());
        if (reply.status() != 200) {
            throw new Wrong("no quote: " + reply.body());
        }
        Set<String> planned = new HashSet<>(answer.path("plans").findValuesAsText("platform"));
        Set<String> silent = new HashSet<>();
        answer.path("explanation").forEach(each -> {
            if (each.path("reason").asText().equals("platform_unavailable")) {
                silent.add(each.path("platform").asText());
            }
        });
        if (planned.size() + silent.size() != SlowPlatforms.ALL.size()) {
            throw new Wrong("a platform has neither a plan nor a reason: " + reply.body());
        }
        if (planned.size() < answering) {
            incomplete++;
        }
        return took;
    }

    /** An endpoint on this machine makes them simulated ones. */
    private static String accounts(Path hangs) {
        StringBuilder yaml = new StringBuilder("accounts:\n");
        int last = SlowPlatforms.ALL.size() - 1;
        Duration step = SLOWEST.minus(FASTEST).dividedBy(last);
        for (int i = 0; i <= last; i++) {
            String platform = SlowPlatforms.nameOf(SlowPlatforms.ALL.get(i));
            Duration delay = i == last ? SLOWEST : FASTEST.plus(step.multipliedBy(i));
            String hang = i == 0 ? ", hangsWhile: " + hangs : "";
            yaml.append("""
                      - id: %1$s
                        platform: %1$s
                        regions: [here]
                        endpoint: http://127.0.0.1:1
                        options: {delay: %2$s%3$s}
                    """.formatted(platform, delay, hang).indent(0));
        }
        return yaml.toString();
    }

    /** Names the twelve to the service loader: a file among the sources would show them to every other program as well. */
    private static Path services(Path folder) throws IOException {
        Path jar = folder.resolve("slow-platforms.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(file)) {
            entries.putNextEntry(new JarEntry("META-INF/services/" + AdapterFactory.class.getName()));
            String names = SlowPlatforms.ALL.stream().map(Class::getName).collect(Collectors.joining("\n"));
            entries.write(names.getBytes(StandardCharsets.UTF_8));
            entries.closeEntry();
        }
        return jar;
    }
}
