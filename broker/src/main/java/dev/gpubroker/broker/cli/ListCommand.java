package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Reservation;
import dev.gpubroker.client.model.Reservations;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists reservations. */
@Command(name = "list", mixinStandardHelpOptions = true, description = "Lists reservations, newest first.")
final class ListCommand extends ClientCommand {
    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "One state, or several joined by commas: queued,active.")
    private @Nullable String state;

    @Option(names = "--model", paramLabel = "MODEL", description = "A family, an exact model or an alias.")
    private @Nullable String model;

    @Option(names = "--from", paramLabel = "TIME", description = "Only those that overlap the span from here.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "TIME", description = "To here.")
    private @Nullable String to;

    @Option(
            names = "--most",
            paramLabel = "N",
            defaultValue = "1000",
            description = "At most so many; else ${DEFAULT-VALUE}.")
    private int most;

    ListCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    int run(Session session) throws ApiException {
        if (most < 1) {
            throw new CliFailure(ExitCode.USAGE, "--most must be at least 1.");
        }
        List<Reservation> found = Pages.reservations(session, new Pages.Filter(state, model, from, to), most);
        if (session.json()) {
            session.print(new Reservations().items(found));
        } else {
            session.say(ReservationView.list(found, session.lang()));
        }
        return ExitCode.OK;
    }
}
