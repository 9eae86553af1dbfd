package dev.gpubroker.verification.crash;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import dev.gpubroker.verification.lab.Cluster;
import dev.gpubroker.verification.lab.Launcher;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code deploy/verify/crash.sh}: rounds of load and havoc for as long as asked; one JSON line says what came of it. */
@Command(
        name = "crash.sh",
        mixinStandardHelpOptions = true,
        description =
                "Kills and freezes brokers and their database under load, and checks that nothing was lost or doubled.")
public final class CrashCommand implements Callable<Integer> {
    /** A start on the hour counts as now for five minutes: the load of one round must fit. */
    private static final Duration LONGEST_ROUND = Duration.ofMinutes(2);

    @Option(
            names = "--minutes",
            defaultValue = "2",
            description = "Load and havoc in all; checks come on top (${DEFAULT-VALUE}).")
    private int minutes;

    @Option(names = "--seed", description = "Repeats what a run decided at random; its timing is never the same.")
    private @Nullable Long seed;

    @Option(names = "--brokers", defaultValue = "3", description = "Brokers on one database (${DEFAULT-VALUE}).")
    private int brokers;

    @Option(
            names = "--database-gone",
            paramLabel = "PT2M",
            description =
                    "Kills no broker, but takes the database away for so long; the brokers must go on by themselves.")
    private @Nullable Duration databaseGone;

    @Option(names = "--home", required = true, hidden = true, description = "A checkout that was built.")
    private Path home = Path.of(".");

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new CrashCommand()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        long used = seed == null ? new Random().nextInt(1_000_000) : seed;
        Path folder = Files.createTempDirectory("gpu-broker-crash.");
        long begun = System.nanoTime();
        List<String> violations = new ArrayList<>();
        ObjectNode result = Api.JSON.createObjectNode();
        result.put("test", "crash").put("seed", used).put("minutes", minutes).put("brokers", brokers);
        System.err.println("crash: seed " + used + ", logs and journal in " + folder);
        try (Journal journal = new Journal(folder.resolve("journal.jsonl"))) {
            violations.addAll(play(folder, journal, used, result));
            result.set("happened", journal.counts());
        }
        result.put("seconds", TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun));
        result.put("passed", violations.isEmpty()).put("violations", violations.size());
        if (violations.isEmpty()) {
            delete(folder);
        } else {
            violations.forEach(each -> System.err.println("crash: " + each));
            System.err.println("crash: failed with --seed " + used + "; the journal is "
                    + folder.resolve("journal.jsonl") + ", the logs lie beside it");
        }
        System.out.println(result);
        return violations.isEmpty() ? 0 : 1;
    }

    private List<String> play(Path folder, Journal journal, long used, ObjectNode result) throws InterruptedException {
        Random seeds = new Random(used);
        try (Cluster cluster = Cluster.start(brokers, Launcher.ofCheckout(home), folder)) {
            prepare(cluster);
            Duration left = databaseGone == null ? Duration.ofMinutes(minutes) : databaseGone.plusSeconds(45);
            for (int number = 1; !left.isZero(); number++) {
                Duration length = databaseGone != null || left.compareTo(LONGEST_ROUND) < 0 ? left : LONGEST_ROUND;
                left = left.minus(length);
                Round round = new Round(cluster, journal, seeds.nextLong(), "r" + number, length, databaseGone);
                List<String> violations = round.play();
                result.set("round" + number, round.tally());
                System.err.println(
                        "crash: round " + number + " " + round.tally() + ", violations " + violations.size());
                if (!violations.isEmpty()) {
                    return violations;
                }
            }
            return List.of();
        } catch (InterruptedException stopped) {
            throw stopped;
        } catch (Exception broken) {
            StringWriter trace = new StringWriter();
            broken.printStackTrace(new PrintWriter(trace));
            return List.of("the test itself broke off: " + trace);
        }
    }

    /** Own nodes, and enough machines on the platforms that the ledger is filled and still sells out at times. */
    private static void prepare(Cluster cluster) throws IOException, InterruptedException {
        BrokerProcess broker = cluster.broker(0);
        ObjectNode pool = Api.JSON
                .createObjectNode()
                .put("name", "own")
                .put("model", Wishes.POOL_MODEL)
                .put("gpusPerNode", 8)
                .put("nodes", Wishes.POOL_NODES);
        Api.Answer made = broker.api(Duration.ofSeconds(20)).post("/v1/pools", pool, "pool");
        if (!made.isOk()) {
            throw new IOException("the pool cannot be made: " + made.body());
        }
        cluster.simulators().control().stock("aliyun", "A100", 8, 16);
        cluster.simulators().control().stock("zhixingyun", "RTX4090", 8, 16);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
