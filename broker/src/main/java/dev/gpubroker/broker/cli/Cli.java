package dev.gpubroker.broker.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Puts the commands together. */
final class Cli {
    private Cli() {}

    /** @param root the command that all others belong to */
    static CommandLine of(Object root, Terminal terminal) {
        Globals globals = new Globals();
        Supplier<Session> sessions = () -> new Session(globals, terminal);
        CommandLine line = new CommandLine(root);
        line.addMixin("globals", globals);
        line.addSubcommand(new BookCommand(sessions))
                .addSubcommand(new QuoteCommand(sessions))
                .addSubcommand(new InterpretCommand(sessions))
                .addSubcommand(new AvailabilityCommand(sessions))
                .addSubcommand(new ListCommand(sessions))
                .addSubcommand(new ShowCommand(sessions))
                .addSubcommand(new SshCommand(sessions))
                .addSubcommand(new ChangeCommand(sessions))
                .addSubcommand(new CancelCommand(sessions))
                .addSubcommand(new AnswerCommand.Accept(sessions))
                .addSubcommand(new AnswerCommand.Decline(sessions))
                .addSubcommand(new CalendarCommand(sessions))
                .addSubcommand(PoolCommand.line(sessions));
        OperationCommands.addTo(line, sessions);
        TaskCommands.addTo(line, sessions);
        CatalogueCommands.addTo(line, sessions);
        line.addSubcommand(new SimulatorsCommand(terminal))
                .addSubcommand(SimCommand.line(sessions))
                .addSubcommand(new DemoCommand(
                        sessions, arguments -> of(root, terminal).execute(arguments)));
        describe(line.getCommandSpec());
        return line.setExpandAtFiles(false) // A phrase or a key may begin with @.
                .setAllowOptionsAsOptionParameters(true) // A title may look like an option.
                .setOut(new PrintWriter(terminal.out(), true, UTF_8))
                .setErr(new PrintWriter(terminal.err(), true, UTF_8))
                .setUsageHelpWidth(Math.max(80, Math.min(terminal.columns(), 140)))
                .setParameterExceptionHandler((fault, arguments) -> misused(fault, terminal))
                .setExecutionExceptionHandler(
                        (fault, command, parsed) -> sessions.get().fail(fault));
    }

    /** In order. */
    private static Map<String, String> exitCodes() {
        Map<String, String> codes = new LinkedHashMap<>();
        codes.put("0", "done");
        codes.put("1", "failed");
        codes.put("2", "the command line or the request is wrong in itself");
        codes.put("3", "nothing was done: a reading has to be chosen, or a cost agreed to");
        codes.put("4", "refused in the present state (409, 422)");
        codes.put("5", "the broker cannot be reached, or does not know the token");
        return codes;
    }

    /** Says what is wrong and where help is; the whole help would hide it. */
    private static int misused(CommandLine.ParameterException fault, Terminal terminal) {
        CommandLine command = fault.getCommandLine();
        terminal.err().println("gpu-broker: " + Width.clean(String.valueOf(fault.getMessage())));
        CommandLine.UnmatchedArgumentException.printSuggestions(fault, command.getErr());
        terminal.err().println("See '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return ExitCode.USAGE;
    }

    private static void describe(CommandSpec spec) {
        String version = Cli.class.getPackage().getImplementationVersion();
        spec.version("gpu-broker " + (version == null ? "(not packaged)" : version));
        spec.usageMessage()
                .description(
                        "One booking API for GPUs across platforms.",
                        "跨平台 GPU 预订：一句话预订，看清价格与把握，到期自动释放。",
                        "",
                        "  gpu-broker book \"8×A100 for 5 days from the 20th\"",
                        "  gpu-broker book 8卡A100 从20号开始租5天")
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(exitCodes())
                .footer(
                        "",
                        "Environment: GPU_BROKER_URL, GPU_BROKER_TOKEN (else the token of a broker on this machine, in",
                        "GPU_BROKER_DATA), GPU_BROKER_TIME_ZONE, GPU_BROKER_LANG or LC_ALL or LANG (zh: 中文输出).");
    }
}
