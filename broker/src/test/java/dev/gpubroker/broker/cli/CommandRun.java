package dev.gpubroker.broker.cli;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** Runs commands against a stub, without a process. */
final class CommandRun {
    private final Map<String, String> environment = new HashMap<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<Duration> pauses = new ArrayList<>();
    private @Nullable String typed;

    @Command(name = "gpu-broker", mixinStandardHelpOptions = true)
    private static final class Root {}

    static CommandRun against(StubBroker broker) {
        CommandRun run = new CommandRun();
        run.environment.put("GPU_BROKER_URL", broker.url());
        run.environment.put("GPU_BROKER_TOKEN", "secret");
        run.environment.put("HOME", "/nonexistent");
        return run;
    }

    CommandRun with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    CommandRun without(String variable) {
        environment.remove(variable);
        return this;
    }

    /** Somebody sits there and will type this. */
    CommandRun typing(String line) {
        typed = line;
        return this;
    }

    int run(String... arguments) {
        Terminal terminal = new Terminal(
                environment,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                typed == null ? null : new BufferedReader(new StringReader(typed + "\n")),
                120,
                pauses::add);
        return Cli.of(new Root(), terminal).execute(arguments);
    }

    /** Runs a command as it was printed. */
    int runPrinted(String command) {
        List<String> words = words(command);
        return run(words.subList(1, words.size()).toArray(new String[0]));
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    List<Duration> pauses() {
        return pauses;
    }

    /** Every printed line that is a command, without what stands before it. */
    List<String> commands() {
        return out().lines()
                .filter(line -> line.contains("gpu-broker book "))
                .map(line -> line.substring(line.indexOf("gpu-broker book ")))
                .toList();
    }

    /** Splits as a POSIX shell does, as far as single quotes and backslashes go. */
    static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inWord = false;
        boolean inQuotes = false;
        for (int i = 0; i < command.length(); i++) {
            char c = command.charAt(i);
            if (inQuotes) {
                if (c == '\'') {
                    inQuotes = false;
                } else {
                    word.append(c);
                }
            } else if (c == '\'') {
                inQuotes = true;
                inWord = true;
            } else if (c == '\\') {
                word.append(command.charAt(++i));
                inWord = true;
            } else if (c == ' ') {
                if (inWord) {
                    words.add(word.toString());
                    word.setLength(0);
                }
                inWord = false;
            } else {
                word.append(c);
                inWord = true;
            }
        }
        if (inWord) {
            words.add(word.toString());
        }
        return words;
    }
}
