package dev.gpubroker.verification.crash;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import dev.gpubroker.verification.lab.Cluster;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** What goes wrong during a round; each kind runs on a thread of its own, with a random order of its own. */
final class Havoc {
    /** A broker holds due work for 20 s: after this long another has taken over what it had in hand. */
    private static final Duration FROZEN = Duration.ofSeconds(26);

    private static final List<String> PLATFORMS = List.of("aliyun", "zhixingyun", "huawei");
    private static final List<String> OPERATIONS =
            List.of("claim", "claim", "claim", "find", "status", "release", "stock");
    private static final List<String> KINDS = List.of("lose_reply", "lose_reply", "late", "hang", "reset", "throttle");

    private final Cluster cluster;
    private final Journal journal;
    private final BooleanSupplier stops;

    Havoc(Cluster cluster, Journal journal, BooleanSupplier stops) {
        this.cluster = cluster;
        this.journal = journal;
        this.stops = stops;
    }

    /** Kills a random broker every few seconds, also one that is just starting, or frozen. */
    void killBrokers(Random random) throws InterruptedException {
        while (waits(5_000 + random.nextInt(8_000))) {
            BrokerProcess broker = any(random);
            journal.write("killed", broker.name());
            broker.kill();
        }
    }

    /** Freezes a random broker for longer than it may hold work, again and again. */
    void freezeBrokers(Random random) throws InterruptedException {
        while (waits(5_000 + random.nextInt(15_000))) {
            BrokerProcess broker = any(random);
            try {
                broker.freeze();
                journal.write("frozen", broker.name());
                waits(FROZEN.toMillis());
                broker.thaw();
                journal.write("thawed", broker.name());
            } catch (IOException dead) {
                journal.write("killed while frozen", broker.name());
            }
        }
    }

    /** Kills the database once, somewhere in the middle of so long a round. */
    void killDatabase(Random random, Duration round) throws IOException, InterruptedException {
        if (waits(round.toMillis() / 3 + random.nextInt((int) (round.toMillis() / 3)))) {
            databaseGone(Duration.ofMillis(500 + random.nextInt(3_500)));
        }
    }

    /** Kills the database and starts it again after a while, whatever else happens. */
    void databaseGone(Duration away) throws IOException, InterruptedException {
        journal.write("database killed", away.toString());
        cluster.database().kill();
        TimeUnit.MILLISECONDS.sleep(away.toMillis());
        cluster.database().start();
        journal.write("database started", away.toString());
    }

    /** Lets the platforms fail in every way they can. */
    void playFaults(Random random) throws InterruptedException {
        while (waits(500 + random.nextInt(2_500))) {
            String platform = any(PLATFORMS, random);
            String operation = any(OPERATIONS, random);
            String kind = any(KINDS, random);
            Duration delay = Duration.ofMillis(500 + random.nextInt(7_500));
            ObjectNode line = Api.JSON.createObjectNode();
            line.put("platform", platform).put("operation", operation).put("kind", kind);
            try {
                cluster.simulators().control().fault(platform, operation, kind, 1 + random.nextInt(2), delay);
                journal.write("fault", line.put("delay", delay.toString()));
            } catch (IOException away) {
                journal.write(
                        "fault not set", line.put("why", String.valueOf(away))); // The simulators' database is away.
            }
        }
    }

    /** Nothing goes wrong any more. */
    void end() throws IOException, InterruptedException {
        for (String platform : cluster.simulators().control().platforms()) {
            cluster.simulators().control().clearFaults(platform);
        }
    }

    private BrokerProcess any(Random random) {
        return any(cluster.brokers(), random);
    }

    private static <T> T any(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    /** Waits; false as soon as the round is over. */
    private boolean waits(long millis) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() - until < 0) {
            if (stops.getAsBoolean()) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return !stops.getAsBoolean();
    }
}
