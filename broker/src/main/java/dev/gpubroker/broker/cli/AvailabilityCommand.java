package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Availability;
import dev.gpubroker.client.model.AvailabilityItem;
import dev.gpubroker.client.model.SilentPlatform;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what the platforms have. */
@Command(
        name = "availability",
        mixinStandardHelpOptions = true,
        description = "Asks every platform what is free now, the earliest window, and the lead time with its source.")
final class AvailabilityCommand extends ClientCommand {
    @Option(
            names = "--model",
            paramLabel = "MODEL",
            description = "A family, an exact model or an alias; else every model.")
    private @Nullable String model;

    @Option(names = "--count", paramLabel = "N", description = "GPUs in all.")
    private @Nullable Integer count;

    @Option(names = "--from", paramLabel = "TIME", description = "Begin of the span.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "TIME", description = "End of the span.")
    private @Nullable String to;

    AvailabilityCommand(Supplier<Session> sessions) {
        super(sessions);
    }

    @Override
    int run(Session session) throws ApiException {
        String zone = session.terminal().variable("GPU_BROKER_TIME_ZONE");
        Availability found = session.planning().readAvailability(model, count, from, to, zone);
        if (session.json()) {
            session.print(found);
        } else {
            session.say(text(found, session.lang()));
        }
        return ExitCode.OK;
    }

    private static String text(Availability found, Lang lang) {
        Table table = new Table(
                lang.pick("platform", "平台"),
                lang.pick("GPUs", "GPU"),
                "SKU",
                lang.pick("stock", "库存"),
                lang.pick("free now", "现有台数"),
                lang.pick("lead time", "交付周期"),
                lang.pick("earliest", "最早"),
                lang.pick("age", "数据时间"));
        for (AvailabilityItem item : found.getItems()) {
            table.row(
                    item.getPlatform() + " " + item.getRegion(),
                    item.getGpusPerNode() + "×" + item.getModel(),
                    item.getSku(),
                    Words.of(item.getStock().getValue(), lang),
                    item.getFreeNow() == null ? "?" : item.getFreeNow().toString(),
                    PlanView.leadTime(item.getLeadTime(), lang),
                    item.getEarliest() == null
                            ? ""
                            : Times.shown(item.getEarliest().getStart()),
                    item.getAgeSeconds() + " s");
        }
        Table silent = new Table("", "", "", "");
        for (SilentPlatform each : found.getSilent()) {
            silent.row(
                    each.getPlatform(),
                    lang.pick("SILENT", "未答复"),
                    each.getReason().getValue(),
                    each.getDetail());
        }
        return (table.isEmpty() ? lang.pick("Nobody sells it.", "没有平台提供。") + "\n" : table.text("")) + silent.text("");
    }
}
