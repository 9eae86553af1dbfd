package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Reservation;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Answers the proposal of an offered reservation: exactly the one that is shown, not a later one. */
abstract class AnswerCommand extends ClientCommand {
    @Parameters(paramLabel = "RESERVATION", description = "Its id, rsv_…")
    private String id = "";

    @Option(names = "--key", paramLabel = "KEY", description = "Idempotency key; by default new for each run.")
    private @Nullable String key;

    private AnswerCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    final int run(Session session) throws ApiException {
        Reservation before = session.reservations().readReservation(id);
        if (!session.json() && before.getProposal() != null) {
            session.say(ReservationView.proposal(id, before.getProposal(), session.lang()));
        }
        String used = key == null ? Session.newKey() : key;
        String version = "\"" + before.getVersion() + "\"";
        Reservation after = session.spend(used, () -> answer(session, id, version, used));
        if (session.json()) {
            session.print(after);
        } else {
            session.say(ReservationView.text(after, session.lang()));
        }
        return ExitCode.OK;
    }

    abstract Reservation answer(Session session, String reservation, String version, String usedKey)
            throws ApiException;

    /** Says yes. */
    @Command(
            name = "accept",
            mixinStandardHelpOptions = true,
            description = "Accepts what an offered reservation proposes: a substitute, a held place or a higher price.")
    static final class Accept extends AnswerCommand {
        Accept(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        Reservation answer(Session session, String reservation, String version, String usedKey) throws ApiException {
            return session.reservations().acceptProposal(reservation, version, usedKey);
        }
    }

    /** Says no. */
    @Command(
            name = "decline",
            mixinStandardHelpOptions = true,
            description = "Declines the proposal; the reservation goes on waiting for the asked model.")
    static final class Decline extends AnswerCommand {
        Decline(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        Reservation answer(Session session, String reservation, String version, String usedKey) throws ApiException {
            return session.reservations().declineProposal(reservation, version, usedKey);
        }
    }
}
