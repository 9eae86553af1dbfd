package dev.gpubroker.broker.cli;

import java.io.BufferedReader;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a command runs.
 *
 * @param in what a person types; null where nobody is asked, as in a pipe
 * @param columns how wide a line may be
 */
record Terminal(
        Map<String, String> environment,
        PrintStream out,
        PrintStream err,
        @Nullable BufferedReader in,
        int columns,
        Pause pause) {
    private static final int USUAL_COLUMNS = 120;

    /** Waits before a call is repeated. */
    interface Pause {
        void sleep(Duration duration) throws InterruptedException;
    }

    Terminal {
        environment = Map.copyOf(environment);
    }

    /** The terminal of this process. Speaks UTF-8 whatever the machine's language. */
    static Terminal system() {
        return new Terminal(
                System.getenv(),
                utf8(FileDescriptor.out),
                utf8(FileDescriptor.err),
                isInteractive() ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)) : null,
                columns(System.getenv("COLUMNS")),
                duration -> Thread.sleep(duration.toMillis()));
    }

    /** Whether a person sits there. */
    @SuppressWarnings("SystemConsoleNull") // It is null up to Java 21; later ones are asked below.
    private static boolean isInteractive() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException beforeJava22) {
            return true;
        }
    }

    private static PrintStream utf8(FileDescriptor file) {
        return new PrintStream(new FileOutputStream(file), true, StandardCharsets.UTF_8);
    }

    private static int columns(@Nullable String said) {
        return said != null && said.matches("[1-9][0-9]{1,3}") ? Integer.parseInt(said) : USUAL_COLUMNS;
    }

    /** Asks and gives back the answer without blanks; null where nobody is there to answer. */
    @Nullable
    String ask(String question) {
        if (in == null) {
            return null;
        }
        err.print(question + " ");
        err.flush();
        try {
            String line = in.readLine();
            return line == null ? null : line.strip();
        } catch (IOException gone) {
            return null;
        }
    }

    /** The variable, or null where it is unset or blank. */
    @Nullable
    String variable(String name) {
        String value = environment.get(name);
        return value == null || value.isBlank() ? null : value.strip();
    }
}
