package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Plays parts of the demo against a broker with simulators and demo clock; {@code deploy/demo.sh} calls it. */
@Command(
        name = "demo",
        hidden = true,
        mixinStandardHelpOptions = true,
        description = "Plays a part of the demo: 'walk' up to the crash, 'recovery' after it.")
final class DemoCommand extends ClientCommand {
    @Parameters(paramLabel = "walk|recovery", description = "Which part.")
    private String part = "";

    private final ToIntFunction<String[]> commands;

    /** @param commands runs a command line as a person would, and gives its exit code */
    DemoCommand(Supplier<Session> sessions, ToIntFunction<String[]> commands) {
        super(sessions);
        this.commands = commands;
    }

    @Override
    int run(Session session) throws ApiException {
        DemoStage stage = new DemoStage(session, commands);
        switch (part) {
            case "walk" -> new DemoWalk(stage).play();
            case "recovery" -> new DemoRecovery(stage).play();
            default -> throw new CliFailure(ExitCode.USAGE, "There are 'walk' and 'recovery'.");
        }
        return ExitCode.OK;
    }
}
