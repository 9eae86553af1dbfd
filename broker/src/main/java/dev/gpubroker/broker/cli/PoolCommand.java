package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.HostBody;
import dev.gpubroker.client.model.Pool;
import dev.gpubroker.client.model.PoolBody;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Own or long-leased machines. */
@Command(name = "pool", mixinStandardHelpOptions = true, description = "Own or long-leased machines.")
final class PoolCommand {
    private PoolCommand() {}

    static CommandLine line(Supplier<Session> sessions) {
        return new CommandLine(new PoolCommand())
                .addSubcommand(new Create(sessions))
                .addSubcommand(new All(sessions))
                .addSubcommand(new Show(sessions))
                .addSubcommand(new Delete(sessions))
                .addSubcommand(OutageCommand.line(sessions));
    }

    private static String text(Pool pool, Lang lang) {
        Table nodes = new Table("", "", "", "");
        pool.getNodes()
                .forEach(node -> nodes.row(node.getId(), node.getName(), node.getAddress(), node.getGpus() + " GPU"));
        return new Fields()
                        .add(lang.pick("Pool", "资源池"), pool.getName() + " (" + pool.getId() + ")")
                        .add(lang.pick("GPUs", "GPU"), pool.getGpusPerNode() + "×" + pool.getModel())
                        .add(lang.pick("Turnaround", "清理时间"), pool.getTurnaround())
                        .add(lang.pick("Since", "创建于"), Times.shown(pool.getCreatedAt()))
                        .text()
                + nodes.text("  ");
    }

    /** @param name a pool's id or its name */
    private static String id(Session session, String name) throws ApiException {
        return session.pools().listPools().getItems().stream()
                .filter(pool -> pool.getName().equals(name))
                .map(Pool::getId)
                .findFirst()
                .orElse(name);
    }

    /** Registers machines. */
    @Command(name = "create", mixinStandardHelpOptions = true, description = "Registers machines of one model.")
    static final class Create extends ClientCommand {
        private static final Pattern HOST = Pattern.compile("([^=/]+)(?:=([^/]*))?(?:/([1-9][0-9]{0,2}))?");

        @Parameters(paramLabel = "NAME", description = "Name of the pool.")
        private String name = "";

        @Option(
                names = "--model",
                required = true,
                paramLabel = "MODEL",
                description = "A100-SXM4-80GB; a family serves less.")
        private String model = "";

        @Option(names = "--gpus-per-node", required = true, paramLabel = "N", description = "GPUs in a machine.")
        private int gpusPerNode;

        @Option(names = "--nodes", paramLabel = "N", description = "How many machines; they are named after the pool.")
        private @Nullable Integer nodes;

        @Option(
                names = "--host",
                paramLabel = "NAME[=ADDRESS][/GPUS]",
                description = "A machine by its name; may be repeated.")
        private @Nullable List<String> hosts;

        @Option(
                names = "--turnaround",
                paramLabel = "LENGTH",
                description = "Time between two bookings of a machine: PT30M.")
        private @Nullable String turnaround;

        @Option(
                names = "--readiness",
                paramLabel = "none|ssh",
                description = "Whether a machine is asked when a booking of it begins; else none.")
        private @Nullable String readiness;

        Create(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            PoolBody body = new PoolBody()
                    .name(name)
                    .model(model)
                    .gpusPerNode(gpusPerNode)
                    .nodes(nodes);
            if (hosts != null) {
                body.setHosts(hosts.stream().map(Create::host).toList());
            }
            if (turnaround != null) {
                body.setTurnaround(Times.duration(turnaround));
            }
            if (readiness != null) {
                body.setReadiness(readiness(readiness));
            }
            String key = Session.newKey();
            Pool made = session.spend(key, () -> session.pools().createPool(body, key));
            if (session.json()) {
                session.print(made);
            } else {
                session.say(text(made, session.lang()));
            }
            return ExitCode.OK;
        }

        private static PoolBody.ReadinessEnum readiness(String typed) {
            return Arrays.stream(PoolBody.ReadinessEnum.values())
                    .filter(each -> each.getValue().equals(typed))
                    .findFirst()
                    .orElseThrow(() ->
                            new CliFailure(ExitCode.USAGE, "--readiness: '" + typed + "' is neither none nor ssh."));
        }

        private static HostBody host(String typed) {
            Matcher parts = HOST.matcher(typed);
            if (!parts.matches()) {
                throw new CliFailure(
                        ExitCode.USAGE, "--host: '" + typed + "' is not NAME, NAME=ADDRESS or NAME=ADDRESS/GPUS.");
            }
            HostBody host = new HostBody().name(parts.group(1));
            if (parts.group(2) != null && !parts.group(2).isEmpty()) {
                host.setAddress(parts.group(2));
            }
            if (parts.group(3) != null) {
                host.setGpus(Integer.valueOf(parts.group(3)));
            }
            return host;
        }
    }

    /** Lists them. */
    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the pools.")
    static final class All extends ClientCommand {
        All(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            var pools = session.pools().listPools();
            if (session.json()) {
                session.print(pools);
                return ExitCode.OK;
            }
            Lang lang = session.lang();
            Table table = new Table(
                    lang.pick("pool", "资源池"),
                    lang.pick("name", "名称"),
                    lang.pick("GPUs", "GPU"),
                    lang.pick("nodes", "节点"));
            for (Pool pool : pools.getItems()) {
                table.row(
                        pool.getId(),
                        pool.getName(),
                        pool.getGpusPerNode() + "×" + pool.getModel(),
                        Integer.toString(pool.getNodes().size()));
            }
            session.say(table.isEmpty() ? lang.pick("There is no pool.", "没有资源池。") : table.text(""));
            return ExitCode.OK;
        }
    }

    /** Shows one. */
    @Command(name = "show", mixinStandardHelpOptions = true, description = "Shows a pool with its machines.")
    static final class Show extends ClientCommand {
        @Parameters(paramLabel = "POOL", description = "Its id or name.")
        private String pool = "";

        Show(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            Pool found = session.pools().readPool(id(session, pool));
            if (session.json()) {
                session.print(found);
            } else {
                session.say(text(found, session.lang()));
            }
            return ExitCode.OK;
        }
    }

    /** Removes one. */
    @Command(name = "delete", mixinStandardHelpOptions = true, description = "Removes a pool that nobody has booked.")
    static final class Delete extends ClientCommand {
        @Parameters(paramLabel = "POOL", description = "Its id or name.")
        private String pool = "";

        Delete(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            session.pools().deletePool(id(session, pool));
            if (!session.json()) {
                session.say(pool + ": removed", pool + "：已删除");
            }
            return ExitCode.OK;
        }
    }
}
