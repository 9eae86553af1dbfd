package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Reservation;
import dev.gpubroker.client.model.ReservationEvent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one reservation. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description =
                "Shows one reservation: its plan, price, reasons, what comes next, and the command that books it again.")
final class ShowCommand extends ClientCommand {
    @Parameters(paramLabel = "RESERVATION", description = "Its id, rsv_…")
    private String id = "";

    @Option(names = "--events", description = "With everything that happened to it.")
    private boolean events;

    ShowCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    int run(Session session) throws ApiException {
        Reservation reservation = session.reservations().readReservation(id);
        List<ReservationEvent> happened = events ? Pages.events(session, id) : List.of();
        if (session.json()) {
            Map<String, Object> both = new LinkedHashMap<>();
            both.put("reservation", reservation);
            both.put("events", happened);
            session.print(events ? both : reservation);
            return ExitCode.OK;
        }
        Lang lang = session.lang();
        session.say(ReservationView.text(reservation, lang));
        if (events) {
            session.say(ReservationView.events(happened, lang));
        }
        session.say(new Fields()
                .add(
                        lang.pick("The same again", "等效命令"),
                        Shell.command(EquivalentCommand.of("book", Wishes.again(session, reservation))))
                .text());
        return ExitCode.OK;
    }
}
