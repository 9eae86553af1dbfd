package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.CancelBody;
import dev.gpubroker.client.model.CancellationQuote;
import dev.gpubroker.client.model.Problem;
import dev.gpubroker.client.model.Reservation;
import dev.gpubroker.client.model.State;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Cancels a reservation, after saying what that costs. */
@Command(
        name = "cancel",
        mixinStandardHelpOptions = true,
        description =
                "Cancels a reservation. Where that costs money, nothing is cancelled before the cost was shown and agreed to.")
final class CancelCommand extends ClientCommand {
    @Parameters(paramLabel = "RESERVATION", description = "Its id, rsv_…")
    private String id = "";

    @Option(names = "--yes", description = "Agrees to the cost without asking.")
    private boolean yes;

    @Option(names = "--quote", paramLabel = "ID", description = "Agrees to this cancellation quote.")
    private @Nullable String quoteId;

    CancelCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    int run(Session session) throws ApiException {
        try {
            return cancel(session, quoteId);
        } catch (ApiException refused) {
            CancellationQuote quote = quote(session, refused);
            if (quote == null) {
                throw refused;
            }
            if (!session.json()) {
                session.say(text(quote, session.lang()));
            }
            if (yes || isAgreed(session)) {
                return cancel(session, quote.getId());
            }
            if (session.json()) {
                session.say(String.valueOf(refused.getResponseBody()));
            } else {
                session.note(session.lang().pick("Nothing was cancelled. To agree: ", "尚未取消。同意请执行：")
                        + Shell.command(List.of("cancel", id, "--quote", quote.getId())));
            }
            return ExitCode.NEEDS_CONFIRMATION;
        }
    }

    private static @Nullable CancellationQuote quote(Session session, ApiException refused) {
        Problem problem = new ProblemView(session).read(refused.getResponseBody());
        return problem != null && problem.getCode().equals("cancellation_quote_required") && problem.getQuote() != null
                ? session.mapper().convertValue(problem.getQuote(), CancellationQuote.class)
                : null;
    }

    private static boolean isAgreed(Session session) {
        String answer = session.json()
                ? null
                : session.terminal().ask(session.lang().pick("Cancel at this cost? [y/N]", "同意按此费用取消？[y/N]"));
        return answer != null && List.of("y", "yes", "是", "好").contains(answer.toLowerCase(Locale.ROOT));
    }

    private int cancel(Session session, @Nullable String agreed) throws ApiException {
        String key = Session.newKey();
        CancelBody body = new CancelBody().quoteId(agreed);
        Reservation after = session.spend(key, () -> session.reservations().cancelReservation(id, key, body));
        if (session.json()) {
            session.print(after);
        } else if (after.getState() == State.RELEASING) {
            session.say(
                    after.getId() + ": releasing; it ends when the platform says that the machines are gone.",
                    after.getId() + "：正在释放，平台确认机器已释放后结束。");
        } else {
            session.say(after.getId() + ": " + ReservationView.state(after, session.lang()));
        }
        return ExitCode.OK;
    }

    /** What cancelling costs and brings back. */
    static String text(CancellationQuote quote, Lang lang) {
        return new Fields()
                .add(lang.pick("Fee", "费用"), PlanView.money(quote.getFee()))
                .add(lang.pick("Comes back", "退款"), PlanView.money(quote.getRefund()))
                .add(lang.pick("Cost in all", "总花费"), PlanView.money(quote.getTotal()))
                .add(lang.pick("Rule", "规则"), PlanView.refund(quote.getRefundTerms(), lang))
                .add(lang.pick("Valid until", "有效期至"), Times.shown(quote.getExpiresAt()))
                .text();
    }
}
