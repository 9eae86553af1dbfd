package dev.gpubroker.verification.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code deploy/bench.sh}: runs benchmarks; one line of JSON on standard output per figure, what it does on standard error. */
@Command(
        name = "bench.sh",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the broker as a process; one line of JSON per figure.",
            "A missed target is a figure like any other; a wrong answer ends with exit code 1."
        })
public final class Bench implements Callable<Integer> {
    private static final int WRONG = 1;
    private static final int NOT_MEASURED = 2;

    private static final Map<String, Supplier<Benchmark>> ALL = all();

    private static Map<String, Supplier<Benchmark>> all() {
        Map<String, Supplier<Benchmark>> all = new LinkedHashMap<>();
        all.put("book", BookBench::new);
        all.put("book-hot", HotBench::new);
        all.put("search", SearchBench::new);
        all.put("fan-out", FanOutBench::new);
        all.put("due", DueBench::new);
        all.put("lease", LeaseBench::new);
        all.put("takeover", TakeoverBench::make);
        all.put("start", StartBench::new);
        return all;
    }

    @Parameters(
            arity = "0..*",
            paramLabel = "NAME",
            description = "book, book-hot, search, fan-out, due, lease, takeover, start; all if none is named.")
    private List<String> names = List.of();

    @Option(names = "--runs", defaultValue = "3", description = "Runs of each figure (${DEFAULT-VALUE}).")
    private int runs;

    @Option(names = "--seconds", defaultValue = "10", description = "Length of a run under load (${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--keep", description = "Keeps databases and logs.")
    private boolean keep;

    @Option(
            names = "--scratch",
            description = "Where databases and logs lie; a new folder in the temporary one if not given.")
    private @Nullable Path scratch;

    @Option(names = "--home", required = true, description = "The built checkout.")
    private Path home = Path.of(".");

    @Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    private Bench() {}

    /**
     * How to measure.
     *
     * @param home the checkout whose broker is measured
     */
    record Options(Path home, Path scratch, int runs, Duration length) {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Bench()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        List<String> chosen = names.isEmpty() ? List.copyOf(ALL.keySet()) : names;
        for (String name : chosen) {
            if (!ALL.containsKey(name)) {
                throw new ParameterException(
                        spec.commandLine(), "no benchmark is called " + name + "; there are " + ALL.keySet());
            }
        }
        Path folder = scratch == null ? Files.createTempDirectory("gpu-broker-bench") : scratch;
        Options options = new Options(home, folder, runs, Duration.ofSeconds(seconds));
        int code = 0;
        for (String name : chosen) {
            code = Math.max(code, run(name, options));
        }
        if (keep || code != 0) {
            say("databases and logs are in " + folder);
        } else {
            delete(folder);
        }
        return code;
    }

    private static int run(String name, Options options) {
        say(name);
        try {
            Objects.requireNonNull(ALL.get(name), name).get().run(options, figure -> System.out.println(figure.json()));
            return 0;
        } catch (Wrong wrong) {
            say(name + " is WRONG: " + wrong.getMessage());
            return WRONG;
        } catch (Exception fault) {
            say(name + " could not be measured: " + fault);
            fault.printStackTrace(System.err);
            return NOT_MEASURED;
        }
    }

    static void say(String what) {
        System.err.println("bench: " + what);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
