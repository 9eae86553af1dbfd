package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.ChangeBody;
import dev.gpubroker.client.model.Reservation;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes a reservation as it is now; one that somebody else changed meanwhile is refused. */
@Command(
        name = "change",
        mixinStandardHelpOptions = true,
        description = {
            "Changes start, end, number of GPUs, title or labels. What is refused changes nothing; running work is never moved.",
            "Times without offset are in the reservation's own time zone."
        })
final class ChangeCommand extends ClientCommand {
    @Parameters(paramLabel = "RESERVATION", description = "Its id, rsv_…")
    private String id = "";

    @Option(names = "--start", paramLabel = "TIME", description = "New start, before it begins; keeps the length.")
    private @Nullable String start;

    @Option(names = "--end", paramLabel = "TIME", description = "New end, exclusive: later or earlier.")
    private @Nullable String end;

    @Option(names = "--for", paramLabel = "LENGTH", description = "New length instead of an end: P5D, PT36H, 5d, 36h.")
    private @Nullable String length;

    @Option(names = "--count", paramLabel = "N", description = "GPUs in all.")
    private @Nullable Integer count;

    @Option(names = "--title", paramLabel = "TEXT", description = "Shown in lists and calendars.")
    private @Nullable String title;

    @Option(names = "--label", paramLabel = "K=V", description = "A label, beside those it has; may be repeated.")
    private @Nullable Map<String, String> labels;

    @Option(names = "--key", paramLabel = "KEY", description = "Idempotency key; by default new for each run.")
    private @Nullable String key;

    ChangeCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    int run(Session session) throws ApiException {
        if (end != null && length != null) {
            throw new CliFailure(
                    ExitCode.USAGE, session.lang().pick("Give --end or --for, not both.", "--end 与 --for 只能给出一个。"));
        }
        Reservation before = session.reservations().readReservation(id);
        ChangeBody body = body(before);
        String used = key == null ? Session.newKey() : key;
        String version = "\"" + before.getVersion() + "\"";
        Reservation after = session.spend(
                used, () -> session.reservations().changeReservation(before.getId(), body, version, used));
        if (session.json()) {
            session.print(after);
            return ExitCode.OK;
        }
        if (after.getPendingChange() != null) {
            session.say(
                    "Ordered: " + after.getPendingChange().getCount()
                            + " GPUs count once all of them run; until then it has what it had.\n",
                    "已下单：全部机器运行后才计为 " + after.getPendingChange().getCount() + " 张卡，在此之前保持原有数量。\n");
        }
        session.say(ReservationView.text(after, session.lang()));
        return ExitCode.OK;
    }

    private ChangeBody body(Reservation before) {
        ChangeBody body = new ChangeBody().start(start).end(end).count(count).title(title);
        if (length != null) {
            body.setEnd(Times.wire(plus(start(before), Times.duration(length))));
        }
        if (labels != null) {
            Map<String, String> all = new HashMap<>(before.getLabels());
            all.putAll(labels);
            body.setLabels(all);
        }
        if (start == null && end == null && length == null && count == null && title == null && labels == null) {
            throw new CliFailure(
                    ExitCode.USAGE, "Say what to change: --start, --end, --for, --count, --title, --label.");
        }
        return body;
    }

    private ZonedDateTime start(Reservation before) {
        String zone = before.getRequest().getTimeZone();
        if (start == null) {
            return Times.in(before.getRequest().getStart(), zone);
        }
        try {
            return Times.typed(start, zone);
        } catch (DateTimeException unreadable) {
            throw new CliFailure(ExitCode.USAGE, "--start: '" + start + "' is no date or time.");
        }
    }

    /** Days are calendar days, as in a booking. */
    private static ZonedDateTime plus(ZonedDateTime from, String iso) {
        try {
            return iso.contains("T") ? from.plus(Duration.parse(iso)) : from.plus(Period.parse(iso));
        } catch (DateTimeException unreadable) {
            throw new CliFailure(ExitCode.USAGE, "--for: '" + iso + "' is no length, such as 5d or PT36H.");
        }
    }
}
