package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.ApiResponse;
import dev.gpubroker.client.model.BookingBody;
import dev.gpubroker.client.model.Problem;
import dev.gpubroker.client.model.Reading;
import dev.gpubroker.client.model.Reservation;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Books a phrase, a request or a quote. */
@Command(
        name = "book",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Books GPUs: by a phrase, by options, by a quote, or like an earlier reservation.",
            "Prints what was understood, the plan, its price, why others were left aside, and what happens next. A phrase that can"
                    + " be read in two ways is never guessed: its readings are shown, and nothing is booked until one is chosen."
        })
final class BookCommand extends ClientCommand {
    @Mixin
    private final WishOptions wish = new WishOptions();

    @Option(
            names = "--quote",
            paramLabel = "ID",
            description = "Books this quote as it is; only --title and --label go with it.")
    private @Nullable String quoteId;

    @Option(
            names = "--like",
            paramLabel = "RESERVATION",
            description =
                    "Books its request again, with whatever else is given in place of it; a new --start keeps the length.")
    private @Nullable String like;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "Idempotency key: the same one never books twice. By default new for each run.")
    private @Nullable String key;

    @Option(names = "--yes", description = "Takes the likeliest reading of a phrase without asking.")
    private boolean yes;

    BookCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    int run(Session session) throws ApiException {
        BookingBody body = quoteId == null
                ? Wishes.body(session, wish, like)
                : wish.over(new BookingBody()).quoteId(quoteId);
        String firstKey = key == null ? Session.newKey() : key;
        try {
            return book(session, body, firstKey);
        } catch (ApiException refused) {
            Problem problem = new ProblemView(session).read(refused.getResponseBody());
            if (problem == null
                    || !problem.getCode().equals("needs_confirmation")
                    || problem.getReadings() == null
                    || problem.getReadings().isEmpty()) {
                throw refused;
            }
            return choose(session, body, problem.getReadings(), refused);
        }
    }

    private static int book(Session session, BookingBody body, String key) throws ApiException {
        ApiResponse<Reservation> answer =
                session.spend(key, () -> session.reservations().bookReservationWithHttpInfo(body, key));
        Reservation booked = answer.getData();
        if (session.json()) {
            session.print(booked);
            return ExitCode.OK;
        }
        Lang lang = session.lang();
        if (isReplayed(answer.getHeaders())) {
            session.say("Booked already, by an earlier call with this key:", "此前已用同一个键预订：");
        }
        session.say(ReservationView.text(booked, lang));
        session.say(new Fields()
                .add(lang.pick("Calendar", "日历"), session.url() + "/")
                .add(
                        lang.pick("The same again", "等效命令"),
                        Shell.command(EquivalentCommand.of("book", again(session, body, booked))))
                .text());
        return ExitCode.OK;
    }

    private static boolean isReplayed(Map<String, List<String>> headers) {
        return headers.entrySet().stream()
                .anyMatch(header -> header.getKey().equalsIgnoreCase("Idempotency-Replayed")
                        && header.getValue().contains("true"));
    }

    /** What was booked, complete, as a body; what the answer does not repeat is taken from what was sent. */
    private static BookingBody again(Session session, BookingBody sent, Reservation booked) {
        BookingBody body = Wishes.again(session, booked);
        if (body.getMaxTotal() == null) {
            body.setMaxTotal(sent.getMaxTotal());
        }
        if (body.getOnUnavailable() == null) {
            body.setOnUnavailable(sent.getOnUnavailable());
        }
        return body;
    }

    // ---- readings -------------------------------------------------------------------------------------------

    private int choose(Session session, BookingBody said, List<Reading> readings, ApiException refused)
            throws ApiException {
        if (yes) {
            return bookReading(session, said, readings, 1);
        }
        if (session.json()) {
            session.say(String.valueOf(refused.getResponseBody()));
            return ExitCode.NEEDS_CONFIRMATION;
        }
        session.say(readings(session, said, readings));
        String answer = session.terminal()
                .ask(session.lang()
                        .pick(
                                "Which one? [1-" + readings.size() + ", nothing to book none]",
                                "选择哪一种？[1-" + readings.size() + "，直接回车则不预订]"));
        if (answer == null || !answer.matches("[0-9]{1,4}")) {
            session.note(session.lang().pick("Nothing was booked.", "没有预订。"));
            return ExitCode.NEEDS_CONFIRMATION;
        }
        int number = Integer.parseInt(answer);
        if (number < 1 || number > readings.size()) {
            session.note(session.lang().pick("There is no such reading; nothing was booked.", "没有这个选项，未预订。"));
            return ExitCode.NEEDS_CONFIRMATION;
        }
        return bookReading(session, said, readings, number);
    }

    /** A reading is another body than the phrase, so it needs another key. */
    private int bookReading(Session session, BookingBody said, List<Reading> readings, int number) throws ApiException {
        return book(
                session,
                ofReading(session, said, readings.get(number - 1)),
                key == null ? Session.newKey() : key + "-" + number);
    }

    private static BookingBody ofReading(Session session, BookingBody said, Reading reading) {
        BookingBody body = Wishes.of(session, reading.getRequest());
        if (body.getPhrase() == null) {
            body.setPhrase(said.getPhrase());
        }
        return body;
    }

    private static String readings(Session session, BookingBody said, List<Reading> readings) {
        Lang lang = session.lang();
        StringBuilder text = new StringBuilder(lang.pick(
                "This can be read in " + readings.size() + " ways; nothing was booked yet:\n",
                "这句话有 " + readings.size() + " 种理解，尚未预订：\n"));
        for (int i = 0; i < readings.size(); i++) {
            Reading reading = readings.get(i);
            String why = lang.pick(reading.getWhy() == null ? "" : reading.getWhy(), reading.getWhyZh());
            text.append("  ")
                    .append(i + 1)
                    .append(". ")
                    .append(Width.clean(lang.pick(reading.getEcho(), reading.getEchoZh())))
                    .append('\n')
                    .append(why.isBlank() ? "" : "     " + Width.clean(why) + "\n")
                    .append("     ")
                    .append(Shell.command(EquivalentCommand.of("book", ofReading(session, said, reading))))
                    .append('\n');
        }
        return text.toString();
    }
}
