package dev.gpubroker.verification.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code deploy/verify/simulation.sh}: lives through seeds until one breaks a rule, or as long as asked. */
@Command(
        name = "simulation",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Whole brokers live through months of bookings, faults and crashes. Prints a line for each seed; ends with"
                        + " code 1 and the story of a seed in which something does not hold.")
public final class SimulationCommand implements Callable<Integer> {
    @Option(names = "--seed", description = "The first seed; the next ones follow. Default: from the clock.")
    private @Nullable Long seed;

    @Option(names = "--seeds", description = "How many seeds, unless --minutes is given. Default: 1; for --plant 3.")
    private @Nullable Integer seeds;

    @Option(names = "--minutes", description = "Seed after seed for so many minutes.")
    private @Nullable Integer minutes;

    @Option(names = "--months", defaultValue = "3", description = "How long each seed lives, in business time.")
    private int months = 3;

    @Option(names = "--steps", defaultValue = "300", description = "Or after so many steps.")
    private int steps = 300;

    @Option(names = "--platforms", split = ",", description = "Which platforms there are. Default: as the seed says.")
    private Set<String> platforms = Set.of();

    @Option(names = "--often", split = ",", description = "Actions that happen as often as all others together.")
    private Set<String> often = Set.of();

    @Option(
            names = "--plant",
            description =
                    "Put this bug into a copy of the broker's source and see that it is found; 'list' lists them.")
    private @Nullable String plant;

    @Option(names = "--sources", defaultValue = "broker/src/main/java", description = "The broker's, for --plant.")
    private Path sources = Path.of("broker/src/main/java");

    @Option(names = "--story", description = "Print what happened in seeds that went well, too.")
    private boolean story;

    @Option(names = "--keep-going", description = "Do not end with the first seed that breaks.")
    private boolean keepGoing;

    @Option(names = "--log", description = "Where the brokers' log goes. Default: nowhere.")
    private @Nullable Path log;

    @Option(names = "--postgres-port", hidden = true, description = "A server that another process has prepared.")
    private @Nullable Integer postgresPort;

    public static void main(String[] args) {
        System.exit(new CommandLine(new SimulationCommand()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("gpu-broker-simulation");
        Alarms.listen(log == null ? folder.resolve("brokers.log") : log);
        if ("list".equals(plant)) {
            Plants.all().forEach(each -> System.out.printf("%-18s %s%n", each.name(), each.what()));
            return 0;
        }
        try (Server server = postgresPort == null ? Server.start(folder) : Server.at(postgresPort)) {
            return plant == null ? run(server, folder) : grow(server, folder, Plants.named(plant));
        } finally {
            Folders.delete(folder);
        }
    }

    private int run(Server server, Path folder) throws InterruptedException {
        long first = seed == null ? System.currentTimeMillis() % 1_000_000 : seed;
        long until = minutes == null
                ? Long.MAX_VALUE
                : System.nanoTime() + Duration.ofMinutes(minutes).toNanos();
        Simulation simulation = new Simulation(server, folder);
        Simulation.Life life = new Simulation.Life(steps, Duration.ofDays(30L * months), platforms, often);
        int broken = 0;
        for (int number = 0;
                minutes == null ? number < (seeds == null ? 1 : seeds) : System.nanoTime() < until;
                number++) {
            Simulation.Outcome outcome = simulation.run(first + number, life);
            System.out.println(line(outcome));
            if (!outcome.isFine() || story) {
                System.out.println(outcome.journal().text());
            }
            if (outcome.broken() != null) {
                outcome.broken().printStackTrace(System.out);
                System.out.println(
                        "seed " + outcome.seed() + " broke in step " + outcome.steps() + ": " + outcome.rule());
                broken++;
                if (!keepGoing) {
                    break;
                }
            }
        }
        return broken == 0 ? 0 : 1;
    }

    private int grow(Server server, Path folder, Plant planted) throws IOException, InterruptedException {
        Greenhouse.Harvest harvest = new Greenhouse(sources, System.getProperty("java.class.path"), folder)
                .grow(planted, seed == null ? planted.seed() : seed, seeds == null ? Plant.TRIES : seeds, server);
        System.out.println(harvest.output());
        System.out.println("plant " + planted.name() + ": " + planted.what() + ": "
                + (harvest.isFound()
                        ? "found, " + harvest.rule() + "\n" + harvest.row()
                        : "NOT FOUND"
                                + (harvest.rule().isEmpty() ? "" : "; what broke is another rule: " + harvest.rule())));
        return harvest.isFound() ? 0 : 1;
    }

    private static String line(Simulation.Outcome outcome) {
        return String.format(
                "seed %d: %s; %d steps, %d reservations, %d machines, %d days lived in %d s",
                outcome.seed(),
                outcome.isFine() ? "holds" : "BROKEN, " + outcome.rule(),
                outcome.steps(),
                outcome.reservations(),
                outcome.machines(),
                outcome.lived().toDays(),
                outcome.took().toSeconds());
    }
}
