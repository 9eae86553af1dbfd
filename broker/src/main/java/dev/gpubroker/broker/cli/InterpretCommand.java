package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Interpretation;
import dev.gpubroker.client.model.Phrase;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says how a phrase is understood; asks no platform. */
@Command(
        name = "interpret",
        mixinStandardHelpOptions = true,
        description = "Says how a phrase is understood, in every usual reading; asks no platform and books nothing.")
final class InterpretCommand extends ClientCommand {
    @Parameters(arity = "1..*", paramLabel = "PHRASE", description = "What is wanted, in words.")
    private List<String> words = List.of();

    @Option(names = "--time-zone", paramLabel = "ZONE", description = "Zone in which its dates are read.")
    private @Nullable String timeZone;

    InterpretCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    int run(Session session) throws ApiException {
        String zone = timeZone == null ? session.terminal().variable("GPU_BROKER_TIME_ZONE") : timeZone;
        Interpretation read = session.planning()
                .interpretPhrase(new Phrase().phrase(String.join(" ", words)).timeZone(zone), Session.newKey());
        if (session.json()) {
            session.print(read);
            return ExitCode.OK;
        }
        Lang lang = session.lang();
        Fields fields = new Fields();
        int number = 1;
        for (var reading : read.getReadings()) {
            String name = lang.pick("Understood", "理解为") + (read.getReadings().size() == 1 ? "" : " " + number++);
            String why = lang.pick(reading.getWhy() == null ? "" : reading.getWhy(), reading.getWhyZh());
            fields.add(name, lang.pick(reading.getEcho(), reading.getEchoZh()) + (why.isBlank() ? "" : "\n" + why))
                    .add(
                            lang.pick("As a command", "等效命令"),
                            Shell.command(EquivalentCommand.of("book", Wishes.of(session, reading.getRequest()))));
        }
        session.say(fields.text());
        if (read.getNeedsConfirmation()) {
            session.say("Booking it asks which one is meant.", "预订时需要选择其中一种。");
        }
        return ExitCode.OK;
    }
}
