package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Outage;
import dev.gpubroker.client.model.OutageBody;
import dev.gpubroker.client.model.OutageEffect;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Machines of a pool that are out of order. */
@Command(name = "outage", mixinStandardHelpOptions = true, description = "Machines of a pool that are out of order.")
final class OutageCommand {
    private OutageCommand() {}

    static CommandLine line(Supplier<Session> sessions) {
        return new CommandLine(new OutageCommand())
                .addSubcommand(new Add(sessions))
                .addSubcommand(new All(sessions))
                .addSubcommand(new End(sessions));
    }

    private static String text(Outage outage, Lang lang) {
        Table effects = new Table("", "", "");
        for (OutageEffect effect : outage.getReservations()) {
            effects.row(effect.getReservation(), Words.of(effect.getEffect().getValue(), lang), effect.getTitle());
        }
        return new Fields()
                        .add(lang.pick("Outage", "停用编号"), outage.getId())
                        .add(lang.pick("Machine", "机器"), outage.getNode() + " GPU " + runs(outage.getGpus()))
                        .add(lang.pick("From", "开始"), Times.shown(outage.getStart()))
                        .add(lang.pick("Until", "结束"), end(outage, lang))
                        .add(lang.pick("Reason", "原因"), outage.getReason())
                        .text()
                + effects.text("  ");
    }

    private static String end(Outage outage, Lang lang) {
        if (outage.getEndedAt() != null) {
            return Times.shown(outage.getEndedAt());
        }
        return outage.getEnd() == null ? lang.pick("nobody knows yet", "未定") : Times.shown(outage.getEnd());
    }

    /** {@code 0–3, 7}. */
    private static String runs(List<Integer> gpus) {
        List<String> runs = new ArrayList<>();
        int from = 0;
        for (int i = 1; i <= gpus.size(); i++) {
            if (i == gpus.size() || gpus.get(i) != gpus.get(i - 1) + 1) {
                int first = gpus.get(from);
                int last = gpus.get(i - 1);
                runs.add(first == last ? Integer.toString(first) : first + "–" + last);
                from = i;
            }
        }
        return String.join(", ", runs);
    }

    /** Declares one. */
    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description =
                    "Takes a machine out of order. What is booked there and has not begun gets other machines where there are any.")
    static final class Add extends ClientCommand {
        private static final Pattern RUN = Pattern.compile("([0-9]{1,3})(?:-([0-9]{1,3}))?");

        @Parameters(index = "0", paramLabel = "POOL", description = "Its id or name.")
        private String pool = "";

        @Parameters(index = "1", paramLabel = "MACHINE", description = "Id or name of a machine of it.")
        private String node = "";

        @Option(names = "--gpus", paramLabel = "INDEXES", description = "Only these: 3, 0-3 or 0,4-7.")
        private @Nullable String gpus;

        @Option(names = "--start", paramLabel = "TIME", description = "Absent means now.")
        private @Nullable String start;

        @Option(names = "--end", paramLabel = "TIME", description = "Absent means until somebody ends it.")
        private @Nullable String end;

        @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Owners are told it.")
        private String reason = "";

        Add(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            OutageBody body = new OutageBody().node(node).start(start).end(end).reason(reason);
            if (gpus != null) {
                body.setGpus(indexes(gpus));
            }
            String key = Session.newKey();
            Outage declared = session.spend(key, () -> session.pools().declareOutage(pool, body, key));
            if (session.json()) {
                session.print(declared);
            } else {
                session.say(text(declared, session.lang()));
            }
            return ExitCode.OK;
        }

        private static Set<Integer> indexes(String typed) {
            Set<Integer> indexes = new LinkedHashSet<>();
            for (String part : typed.split(",", -1)) {
                Matcher run = RUN.matcher(part.strip());
                if (!run.matches()) {
                    throw new CliFailure(
                            ExitCode.USAGE, "--gpus: '" + part + "' is no index and no range, such as 0-3.");
                }
                int first = Integer.parseInt(run.group(1));
                int last = run.group(2) == null ? first : Integer.parseInt(run.group(2));
                indexes.addAll(IntStream.rangeClosed(first, last).boxed().toList());
            }
            return indexes;
        }
    }

    /** Lists them. */
    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists outages that have not ended.")
    static final class All extends ClientCommand {
        @Parameters(paramLabel = "POOL", description = "Its id or name.")
        private String pool = "";

        @Option(names = "--since", paramLabel = "TIME", description = "Also those that ended after it.")
        private @Nullable String since;

        All(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            var outages = session.pools().listOutages(pool, since);
            if (session.json()) {
                session.print(outages);
                return ExitCode.OK;
            }
            Lang lang = session.lang();
            session.say(
                    outages.getItems().isEmpty()
                            ? lang.pick("No machine is out of order.", "没有停用的机器。")
                            : outages.getItems().stream()
                                    .map(outage -> text(outage, lang))
                                    .collect(Collectors.joining("\n")));
            return ExitCode.OK;
        }
    }

    /** Ends one. */
    @Command(name = "end", mixinStandardHelpOptions = true, description = "Ends an outage now.")
    static final class End extends ClientCommand {
        @Parameters(index = "0", paramLabel = "POOL", description = "Its id or name.")
        private String pool = "";

        @Parameters(index = "1", paramLabel = "OUTAGE", description = "Its id, out_…")
        private String id = "";

        End(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            String key = Session.newKey();
            Outage ended = session.spend(key, () -> session.pools().endOutage(pool, id, key));
            if (session.json()) {
                session.print(ended);
            } else {
                session.say(text(ended, session.lang()));
            }
            return ExitCode.OK;
        }
    }
}
