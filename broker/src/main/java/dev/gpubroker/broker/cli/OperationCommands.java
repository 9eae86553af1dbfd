package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.ClockBody;
import dev.gpubroker.client.model.DemoClock;
import dev.gpubroker.client.model.PauseBody;
import dev.gpubroker.client.model.PlatformStatus;
import dev.gpubroker.client.model.Purchases;
import dev.gpubroker.client.model.Status;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Commands for whoever runs the broker. */
final class OperationCommands {
    private OperationCommands() {}

    static void addTo(CommandLine root, Supplier<Session> sessions) {
        root.addSubcommand(new StatusCommand(sessions))
                .addSubcommand(new Pause(sessions))
                .addSubcommand(new Resume(sessions))
                .addSubcommand(new Clock(sessions));
    }

    /** How the installation is doing. */
    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Says how the installation is doing: reservations, machines held, and each platform.")
    static final class StatusCommand extends ClientCommand {
        StatusCommand(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            Status status = session.operation().readStatus();
            if (session.json()) {
                session.print(status);
            } else {
                session.say(text(status, session.lang()));
            }
            return ExitCode.OK;
        }

        private static String text(Status status, Lang lang) {
            String counts = new TreeMap<>(status.getReservations())
                    .entrySet().stream()
                            .map(entry -> Words.of(entry.getKey(), lang) + " " + entry.getValue())
                            .collect(Collectors.joining(", "));
            Table table = new Table("", "", "", "", "", "");
            for (PlatformStatus platform : status.getPlatforms()) {
                table.row(
                        platform.getPlatform(),
                        platform.getAccount(),
                        lang.pick("breaker ", "熔断器 ") + platform.getBreaker(),
                        platform.getPurchases() == null ? "" : lang.pick("purchases ", "购买 ") + platform.getPurchases(),
                        platform.getMachinesHeld() == null
                                ? ""
                                : lang.pick("machines ", "机器 ") + platform.getMachinesHeld(),
                        platform.getDetail());
            }
            return new Fields()
                            .add(
                                    lang.pick("Installation", "安装"),
                                    status.getInstallation() + " (" + status.getStamp() + "), " + status.getVersion())
                            .add(
                                    lang.pick("Now", "当前时间"),
                                    Times.shown(status.getNow()) + " (" + status.getTimeZone() + ")")
                            .add(lang.pick("Reservations", "预订"), counts.isEmpty() ? lang.pick("none", "无") : counts)
                            .add(
                                    lang.pick("Machines held", "占用机器"),
                                    status.getMachinesHeld().toString())
                            .add(
                                    lang.pick("Open tasks", "待办任务"),
                                    status.getOpenTasks()
                                            + (status.getOpenTasks() == 0
                                                    ? ""
                                                    : lang.pick(
                                                            "; 'gpu-broker doctor' shows them",
                                                            "；gpu-broker doctor 查看")))
                            .add(
                                    lang.pick("Buying", "购买"),
                                    status.getPurchasesPaused()
                                            ? lang.pick(
                                                    "PAUSED; 'gpu-broker resume' allows it again",
                                                    "已暂停；gpu-broker resume 恢复")
                                            : lang.pick("allowed", "允许"))
                            .text()
                    + table.text("  ");
        }
    }

    private static int said(Session session, Purchases purchases) {
        if (session.json()) {
            session.print(purchases);
        } else if (purchases.getPaused()) {
            session.say(
                    "Nothing is bought until 'gpu-broker resume'. Releases go on.",
                    "已暂停购买，释放不受影响；gpu-broker resume 恢复。");
        } else {
            session.say("Buying goes on.", "已恢复购买。");
        }
        return ExitCode.OK;
    }

    /** Stops buying. */
    @Command(
            name = "pause",
            mixinStandardHelpOptions = true,
            description = "Stops all buying at once; never a release.")
    static final class Pause extends ClientCommand {
        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for others to read.")
        private @Nullable String reason;

        Pause(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            PauseBody body = new PauseBody();
            if (reason != null) {
                body.setReason(reason);
            }
            return said(session, session.operation().pausePurchases(body));
        }
    }

    /** Allows buying. */
    @Command(name = "resume", mixinStandardHelpOptions = true, description = "Allows buying again.")
    static final class Resume extends ClientCommand {
        Resume(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            return said(session, session.operation().resumePurchases());
        }
    }

    /** Business time. */
    @Command(
            name = "clock",
            mixinStandardHelpOptions = true,
            description =
                    "Shows business time; moves the demo clock, which visits every instant at which something is due.")
    static final class Clock extends ClientCommand {
        @Option(names = "--advance", paramLabel = "LENGTH", description = "By so much: P10D, PT2H, 10d.")
        private @Nullable String advance;

        @Option(
                names = "--set",
                paramLabel = "TIME",
                description = "To 2026-12-20T00:00:00+08:00, or local to the broker.")
        private @Nullable String set;

        Clock(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            DemoClock clock;
            if (advance == null && set == null) {
                clock = session.operation().readDemoClock();
            } else {
                ClockBody body = new ClockBody();
                if (advance != null) {
                    body.setAdvance(Times.duration(advance));
                }
                if (set != null) {
                    body.setSet(set);
                }
                clock = session.clock().moveDemoClock(body, Session.newKey());
            }
            if (session.json()) {
                session.print(clock);
            } else {
                session.say(Times.shown(clock.getNow())
                        + (clock.getEnabled()
                                ? session.lang().pick(" (demo clock, offset ", "（演示时钟，偏移 ")
                                        + clock.getOffset()
                                        + session.lang().pick(")", "）")
                                : session.lang().pick(" (real time)", "（真实时间）")));
            }
            return ExitCode.OK;
        }
    }
}
