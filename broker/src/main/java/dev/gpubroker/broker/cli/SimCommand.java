package dev.gpubroker.broker.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.client.ApiException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves the simulators: what they have, what they ask, what goes wrong with them, and what they hold. */
@Command(
        name = "sim",
        mixinStandardHelpOptions = true,
        description = "Moves the simulated platforms: stock, prices, faults; and shows their machines.")
final class SimCommand {
    private SimCommand() {}

    static CommandLine line(Supplier<Session> sessions) {
        return new CommandLine(new SimCommand())
                .addSubcommand(new All(sessions))
                .addSubcommand(new Stock(sessions))
                .addSubcommand(new Prices(sessions))
                .addSubcommand(new Faults(sessions))
                .addSubcommand(new Access(sessions))
                .addSubcommand(new Instances(sessions));
    }

    /** A command for one platform or, where that makes sense, for all. */
    abstract static class OnSimulators extends ClientCommand {
        static final String ALL = "all";

        @Option(
                names = "--control",
                paramLabel = "URL",
                description = "Where the control listens; else on the port after the broker's.")
        private @Nullable String control;

        OnSimulators(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        final int run(Session session) {
            return run(session, new SimControl(session, control));
        }

        abstract int run(Session session, SimControl simulators);

        static List<String> platforms(SimControl simulators, String said) {
            return said.equals(ALL) ? simulators.platforms() : List.of(said);
        }

        /** Puts the same on each platform; on all of them, those that do not sell it are passed over. */
        static int put(Session session, SimControl simulators, String said, String what, ObjectNode body) {
            for (String platform : platforms(simulators, said)) {
                SimControl.Answer answer = simulators.send("PUT", "/_sim/" + platform + "/" + what, body);
                boolean passedOver = said.equals(ALL) && answer.isNotSold();
                if (!passedOver) {
                    simulators.must(answer);
                }
                if (!session.json()) {
                    session.say(platform + ": "
                            + (passedOver ? session.lang().pick("does not sell it", "不提供该型号") : answer.body()));
                }
            }
            return ExitCode.OK;
        }
    }

    /** Which there are. */
    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the simulated platforms.")
    static final class All extends OnSimulators {
        All(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session, SimControl simulators) {
            JsonNode all = simulators.get("/_sim");
            if (session.json()) {
                session.print(all);
                return ExitCode.OK;
            }
            Table table = new Table("", "", "");
            for (JsonNode each : all) {
                StringBuilder models = new StringBuilder();
                each.path("models")
                        .forEach(model -> models.append(model.asText()).append(' '));
                table.row(each.path("platform").asText(), each.path("url").asText(), models.toString());
            }
            session.say(table.text(""));
            return ExitCode.OK;
        }
    }

    /** Where their machines are. */
    @Command(
            name = "access",
            mixinStandardHelpOptions = true,
            description =
                    "Lets the machines of a platform be an SSH server of yours; without --port they are none again.")
    static final class Access extends OnSimulators {
        @Parameters(paramLabel = "PLATFORM|all", description = "Whose.")
        private String platform = "";

        @Option(
                names = "--host",
                defaultValue = "127.0.0.1",
                paramLabel = "HOST",
                description = "Else ${DEFAULT-VALUE}.")
        private String host = "";

        @Option(names = "--port", paramLabel = "N", description = "Where the SSH server listens.")
        private @Nullable Integer port;

        Access(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session, SimControl simulators) {
            if (port != null) {
                ObjectNode body = simulators.object();
                body.put("host", host).put("port", port.intValue());
                return put(session, simulators, platform, "access", body);
            }
            for (String each : platforms(simulators, platform)) {
                simulators.must(simulators.send("DELETE", "/_sim/" + each + "/access", null));
            }
            return ExitCode.OK;
        }
    }

    /** What they have. */
    @Command(
            name = "stock",
            mixinStandardHelpOptions = true,
            description = "Sets how many machines of a model are free now; other shapes of that model become 0.")
    static final class Stock extends OnSimulators {
        @Parameters(paramLabel = "PLATFORM|all", description = "Whose.")
        private String platform = "";

        @Option(
                names = "--model",
                required = true,
                paramLabel = "MODEL",
                description = "A family means all its variants.")
        private String model = "";

        @Option(names = "--gpus-per-node", defaultValue = "8", paramLabel = "N", description = "Else ${DEFAULT-VALUE}.")
        private int gpusPerNode;

        @Option(names = "--nodes", required = true, paramLabel = "N", description = "Machines free now.")
        private int nodes;

        Stock(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session, SimControl simulators) {
            ObjectNode body = simulators.object();
            body.put("model", model).put("gpusPerNode", gpusPerNode).put("nodes", nodes);
            return put(session, simulators, platform, "stock", body);
        }
    }

    /** What they ask. */
    @Command(name = "prices", mixinStandardHelpOptions = true, description = "Sets the hourly price of a machine.")
    static final class Prices extends OnSimulators {
        @Parameters(paramLabel = "PLATFORM|all", description = "Whose.")
        private String platform = "";

        @Option(
                names = "--model",
                required = true,
                paramLabel = "MODEL",
                description = "A family means all its variants.")
        private String model = "";

        @Option(names = "--gpus-per-node", defaultValue = "8", paramLabel = "N", description = "Else ${DEFAULT-VALUE}.")
        private int gpusPerNode;

        @Option(names = "--hourly", required = true, paramLabel = "AMOUNT", description = "In the platform's currency.")
        private String hourly = "";

        Prices(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session, SimControl simulators) {
            ObjectNode body = simulators.object();
            body.put("model", model).put("gpusPerNode", gpusPerNode).put("hourly", hourly);
            return put(session, simulators, platform, "prices", body);
        }
    }

    /** What goes wrong with them. */
    @Command(
            name = "faults",
            mixinStandardHelpOptions = true,
            description = "Makes the next calls of an operation go wrong.")
    static final class Faults extends OnSimulators {
        @Parameters(paramLabel = "PLATFORM|all", description = "Whose.")
        private String platform = "";

        @Option(
                names = "--operation",
                paramLabel = "NAME",
                description = "stock, price, claim, find, status, release, bill.")
        private @Nullable String operation;

        @Option(names = "--kind", paramLabel = "KIND", description = "hang, lose_reply, late, reset, throttle, error.")
        private @Nullable String kind;

        @Option(names = "--times", paramLabel = "N", description = "How often; else once.")
        private @Nullable Integer times;

        @Option(names = "--delay-ms", paramLabel = "MS", description = "Of hang and late.")
        private @Nullable Integer delayMs;

        @Option(names = "--code", paramLabel = "CODE", description = "The platform's own code, of error.")
        private @Nullable String code;

        @Option(names = "--clear", description = "Takes away all faults.")
        private boolean clear;

        Faults(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session, SimControl simulators) {
            if (!clear && (operation == null || kind == null)) {
                throw new CliFailure(ExitCode.USAGE, "Give --operation and --kind, or --clear.");
            }
            for (String each : platforms(simulators, platform)) {
                SimControl.Answer answer = simulators.must(
                        clear
                                ? simulators.send("DELETE", "/_sim/" + each + "/faults", null)
                                : simulators.send("POST", "/_sim/" + each + "/faults", body(simulators)));
                if (!session.json()) {
                    session.say(each + ": " + (clear ? session.lang().pick("no faults", "已清除故障") : answer.body()));
                }
            }
            return ExitCode.OK;
        }

        private ObjectNode body(SimControl simulators) {
            ObjectNode body = simulators.object().put("operation", operation).put("kind", kind);
            if (times != null) {
                body.put("times", times);
            }
            if (delayMs != null) {
                body.put("delayMs", delayMs);
            }
            if (code != null) {
                body.put("code", code);
            }
            return body;
        }
    }

    /** What they hold. */
    @Command(
            name = "instances",
            mixinStandardHelpOptions = true,
            description =
                    "Lists machines and pool nodes that were ever ours on a simulated platform, and how many are left.")
    static final class Instances extends OnSimulators {
        @Parameters(arity = "0..1", defaultValue = ALL, paramLabel = "PLATFORM|all", description = "Whose.")
        private String platform = ALL;

        @Option(names = "--live", description = "Only those that are not released.")
        private boolean live;

        Instances(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session, SimControl simulators) {
            ArrayNode all = session.mapper().createArrayNode();
            for (String each : platforms(simulators, platform)) {
                simulators.get("/_sim/" + each + "/instances").forEach(instance -> {
                    if (!live || isLeft(instance)) {
                        all.add(((ObjectNode) instance.deepCopy()).put("platform", each));
                    }
                });
            }
            if (session.json()) {
                session.print(all);
            } else {
                session.say(text(all, session.lang(), zone(session)));
            }
            return ExitCode.OK;
        }

        /** As every other command shows times; null where no broker answers, since the control may be another process's. */
        private static @Nullable String zone(Session session) {
            String said = session.terminal().variable("GPU_BROKER_TIME_ZONE");
            if (said != null) {
                return said;
            }
            try {
                return session.operation().readStatus().getTimeZone();
            } catch (ApiException noBroker) {
                return null;
            }
        }

        static boolean isLeft(JsonNode instance) {
            return !instance.hasNonNull("releasedAt");
        }

        private static String text(ArrayNode all, Lang lang, @Nullable String zone) {
            Table table = new Table(
                    lang.pick("platform", "平台"),
                    lang.pick("machine", "机器"),
                    lang.pick("GPUs", "GPU"),
                    lang.pick("state", "状态"),
                    lang.pick("created", "创建于"),
                    lang.pick("released", "释放于"));
            int left = 0;
            for (JsonNode each : all) {
                left += isLeft(each) ? 1 : 0;
                table.row(
                        each.path("platform").asText(),
                        each.path("id").asText(),
                        each.path("gpus").asText() + "×" + each.path("model").asText(),
                        each.path("state").asText(),
                        Times.shown(each.path("createdAt").asText(), zone),
                        isLeft(each) ? "-" : Times.shown(each.path("releasedAt").asText(), zone));
            }
            return table.text("") + lang.pick("machines left: ", "剩余机器 machines left: ") + left + "\n";
        }
    }
}
