package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.BookingBody;
import dev.gpubroker.client.model.QuoteBody;
import dev.gpubroker.client.model.Quotes;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Asks every platform and shows priced plans; books nothing. */
@Command(
        name = "quote",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Asks every platform and prints priced plans, best first; books nothing. Takes what 'book' takes.")
final class QuoteCommand extends ClientCommand {
    @Mixin
    private final WishOptions wish = new WishOptions();

    @Option(names = "--like", paramLabel = "RESERVATION", description = "Asks for its request again.")
    private @Nullable String like;

    QuoteCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    int run(Session session) throws ApiException {
        BookingBody body = Wishes.body(session, wish, like);
        Quotes quotes =
                session.planning().quote(session.mapper().convertValue(body, QuoteBody.class), Session.newKey());
        if (session.json()) {
            session.print(quotes);
        } else {
            session.say(QuotesView.text(quotes, session.lang()));
        }
        return ExitCode.OK;
    }
}
