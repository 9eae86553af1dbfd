package dev.gpubroker.broker.cli;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Commands as a person can paste them into a POSIX shell. */
final class Shell {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    private Shell() {}

    /** {@code gpu-broker} with these arguments, each quoted where it needs it. */
    static String command(List<String> arguments) {
        return "gpu-broker " + arguments.stream().map(Shell::quoted).collect(Collectors.joining(" "));
    }

    static String quoted(String argument) {
        return PLAIN.matcher(argument).matches() ? argument : "'" + argument.replace("'", "'\\''") + "'";
    }
}
