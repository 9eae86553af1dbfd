package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Calendar;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the calendar. */
@Command(
        name = "calendar",
        mixinStandardHelpOptions = true,
        description =
                "Shows reservations as bars over days, on a row for each platform and pool; four weeks from today by default.")
final class CalendarCommand extends ClientCommand {
    @Option(names = "--from", paramLabel = "TIME", description = "First day, 2026-12-01.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "TIME", description = "Day after the last one.")
    private @Nullable String to;

    @Option(names = "--by", paramLabel = "platform|pool|node", description = "What the rows are.")
    private @Nullable String by;

    @Option(names = "--time-zone", paramLabel = "ZONE", description = "Zone of the days; else the broker's.")
    private @Nullable String timeZone;

    CalendarCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    int run(Session session) throws ApiException {
        String zone = timeZone == null ? session.terminal().variable("GPU_BROKER_TIME_ZONE") : timeZone;
        Calendar calendar = session.reservations().readCalendar(from, to, by, zone);
        if (session.json()) {
            session.print(calendar);
        } else {
            session.say(CalendarView.text(calendar, session.terminal().columns(), session.lang()));
            session.say(session.lang().pick("In a browser: ", "浏览器中查看：") + session.url() + "/");
        }
        return ExitCode.OK;
    }
}
