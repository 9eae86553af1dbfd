package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Acquisition;
import dev.gpubroker.client.model.Certificate;
import dev.gpubroker.client.model.Fact;
import dev.gpubroker.client.model.GpuModel;
import dev.gpubroker.client.model.GpuModels;
import dev.gpubroker.client.model.Platform;
import dev.gpubroker.client.model.Platforms;
import dev.gpubroker.client.model.Shape;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Commands that read the catalogue. */
final class CatalogueCommands {
    private CatalogueCommands() {}

    static void addTo(CommandLine root, Supplier<Session> sessions) {
        root.addSubcommand(new ModelsCommand(sessions)).addSubcommand(new PlatformsCommand(sessions));
    }

    private static String joined(@Nullable List<String> words) {
        return words == null ? "" : String.join(", ", words);
    }

    /** GPU models. */
    @Command(
            name = "models",
            mixinStandardHelpOptions = true,
            description = "Lists the GPU models that can be asked for, and their other names.")
    static final class ModelsCommand extends ClientCommand {
        @Parameters(arity = "0..1", paramLabel = "TEXT", description = "Only those whose name or alias holds this.")
        private @Nullable String text;

        ModelsCommand(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            GpuModels models = session.catalogue().listGpuModels();
            if (text != null) {
                models.setItems(
                        models.getItems().stream().filter(this::isWanted).toList());
            }
            if (session.json()) {
                session.print(models);
                return ExitCode.OK;
            }
            Lang lang = session.lang();
            Table table = new Table(
                    lang.pick("model", "型号"),
                    lang.pick("family", "系列"),
                    lang.pick("vendor", "厂商"),
                    lang.pick("memory", "显存"),
                    lang.pick("form", "形态"),
                    lang.pick("sold by", "平台"),
                    lang.pick("also called", "别名"));
            for (GpuModel model : models.getItems()) {
                table.row(
                        model.getId(),
                        model.getFamily(),
                        model.getVendor(),
                        model.getMemoryGb() + " GB",
                        model.getFormFactor(),
                        joined(model.getPlatforms()),
                        joined(model.getAliases()));
            }
            session.say(table.text(""));
            return ExitCode.OK;
        }

        private boolean isWanted(GpuModel model) {
            String wanted = String.valueOf(text).toLowerCase(Locale.ROOT);
            return (model.getId() + " " + model.getFamily() + " " + joined(model.getAliases()))
                    .toLowerCase(Locale.ROOT)
                    .contains(wanted);
        }
    }

    /** Platforms. */
    @Command(
            name = "platforms",
            mixinStandardHelpOptions = true,
            description = "Lists the platforms, or shows what is known of one, each fact with its source and date.")
    static final class PlatformsCommand extends ClientCommand {
        @Parameters(arity = "0..1", paramLabel = "PLATFORM", description = "Its id: aliyun, aws, …")
        private @Nullable String id;

        PlatformsCommand(Supplier<Session> sessions) {
            super(sessions);
        }

        @Override
        int run(Session session) throws ApiException {
            if (id != null) {
                Platform platform = session.catalogue().readPlatform(id);
                if (session.json()) {
                    session.print(platform);
                } else {
                    session.say(one(platform, session.lang()));
                }
                return ExitCode.OK;
            }
            Platforms platforms = session.catalogue().listPlatforms();
            if (session.json()) {
                session.print(platforms);
            } else {
                session.say(all(platforms, session.lang()));
            }
            return ExitCode.OK;
        }

        private static String all(Platforms platforms, Lang lang) {
            Table table = new Table(
                    lang.pick("platform", "平台"),
                    lang.pick("name", "名称"),
                    lang.pick("accounts", "账号"),
                    lang.pick("models", "型号"),
                    lang.pick("acquisition", "获取方式"),
                    lang.pick("refund", "退款"));
            for (Platform platform : platforms.getItems()) {
                table.row(
                        platform.getId(),
                        platform.getName(),
                        joined(platform.getAccounts())
                                + (platform.getSimulated() ? lang.pick(" (simulated)", "（模拟）") : ""),
                        joined(platform.getModels()),
                        acquisitions(platform, lang),
                        Words.of(platform.getRefundTerms().getRule().getValue(), lang));
            }
            return table.text("");
        }

        private static String acquisitions(Platform platform, Lang lang) {
            return platform.getAcquisitions().stream()
                    .map(Acquisition::getValue)
                    .map(word -> Words.of(word, lang))
                    .collect(Collectors.joining(", "));
        }

        private static String one(Platform platform, Lang lang) {
            StringBuilder text = new StringBuilder(new Fields()
                    .add(lang.pick("Platform", "平台"), platform.getId() + ", " + platform.getName())
                    .add(
                            lang.pick("Accounts", "账号"),
                            joined(platform.getAccounts())
                                    + (platform.getSimulated() ? lang.pick(" (simulated)", "（模拟）") : ""))
                    .add(lang.pick("Acquisition", "获取方式"), acquisitions(platform, lang))
                    .add(
                            lang.pick("Term", "租期"),
                            platform.getMinTerm()
                                    + (platform.getMaxTerm() == null ? "" : " – " + platform.getMaxTerm()))
                    .add(
                            lang.pick("Timed end", "定时释放"),
                            platform.getTimedEnd() ? lang.pick("yes", "有") : lang.pick("no", "无"))
                    .add(lang.pick("Needs", "条件"), joined(platform.getEligibility()))
                    .add(lang.pick("Refund", "退款"), PlanView.refund(platform.getRefundTerms(), lang))
                    .text());
            Table shapes = new Table("", "", "", "");
            if (platform.getShapes() != null) {
                for (Shape shape : platform.getShapes()) {
                    shapes.row(
                            shape.getSku(),
                            shape.getGpusPerNode() + "×" + shape.getModel(),
                            shape.getInterconnect(),
                            joined(shape.getRegions()));
                }
            }
            text.append(shapes.text("  "));
            if (platform.getProfile() != null) {
                Table known = new Table("", "", "", "");
                for (Certificate each : platform.getProfile().getCertificates()) {
                    known.row(each.getId(), each.getName(), each.getSource(), each.getDate());
                }
                for (Fact each : platform.getProfile().getFacts()) {
                    String unit = each.getUnit() == null ? "" : " " + each.getUnit();
                    known.row(each.getWhat(), each.getValue() + unit, each.getSource(), each.getDate());
                }
                text.append(known.text("  "));
            }
            return text.toString();
        }
    }
}
