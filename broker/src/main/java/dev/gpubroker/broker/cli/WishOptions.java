package dev.gpubroker.broker.cli;

import dev.gpubroker.client.model.AtEnd;
import dev.gpubroker.client.model.BookingBody;
import dev.gpubroker.client.model.Constraints;
import dev.gpubroker.client.model.GpuWish;
import dev.gpubroker.client.model.Machine;
import dev.gpubroker.client.model.Money;
import dev.gpubroker.client.model.OnUnavailable;
import dev.gpubroker.client.model.SecurityWish;
import dev.gpubroker.client.model.SubstitutionWish;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What is wanted: a phrase, or the members of a request as options. What is not given stays unsaid. */
final class WishOptions {
    private static final Pattern AMOUNT_FIRST = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*([A-Za-z]{3})");
    private static final Pattern CURRENCY_FIRST = Pattern.compile("([A-Za-z]{3})\\s*([0-9]+(?:\\.[0-9]+)?)");

    @Parameters(
            arity = "0..*",
            paramLabel = "PHRASE",
            description = "In words, such as \"8×A100 for 5 days from the 20th\" or 8卡A100从20号开始租5天.")
    @Nullable
    List<String> words;

    @Option(names = "--gpu", paramLabel = "MODEL", description = "A family, an exact model or an alias: A100, RTX4090.")
    @Nullable
    String gpu;

    @Option(names = "--count", paramLabel = "N", description = "GPUs in all.")
    @Nullable
    Integer count;

    @Option(names = "--nodes", paramLabel = "N", description = "Machines to spread them over.")
    @Nullable
    Integer nodes;

    @Option(names = "--memory", paramLabel = "GB", description = "Least memory of one GPU.")
    @Nullable
    Integer memory;

    @Option(names = "--form-factor", paramLabel = "NAME", description = "Such as sxm or pcie.")
    @Nullable
    String formFactor;

    @Option(
            names = "--start",
            paramLabel = "TIME",
            description = "2026-12-20, 2026-12-20T08:00 or 2026-12-20T08:00:00+08:00.")
    @Nullable
    String start;

    @Option(names = "--end", paramLabel = "TIME", description = "End of the window, exclusive.")
    @Nullable
    String end;

    @Option(names = "--for", paramLabel = "LENGTH", description = "Length instead of an end: P5D, PT36H, 5d, 36h.")
    @Nullable
    String length;

    @Option(
            names = "--time-zone",
            paramLabel = "ZONE",
            description = "Zone of dates without offset; else GPU_BROKER_TIME_ZONE, else the broker's.")
    @Nullable
    String timeZone;

    @Option(names = "--substitute", paramLabel = "never|ask|auto", description = "Whether another model may stand in.")
    @Nullable
    String substitute;

    @Option(
            names = "--models",
            split = ",",
            paramLabel = "MODEL",
            description = "Models that may stand in, best first.")
    @Nullable
    List<String> models;

    @Option(
            names = "--max-slowdown",
            paramLabel = "RATIO",
            description = "Longest run-time ratio; 1.3 is 30 %% longer.")
    @Nullable
    BigDecimal maxSlowdown;

    @Option(names = "--scale-count", description = "More GPUs may make up for slower ones.")
    boolean scaleCount;

    @Option(names = "--extend-window", description = "The window may grow by the slowdown.")
    boolean extendWindow;

    @Option(names = "--platforms", split = ",", paramLabel = "ID", description = "The only platforms; own ones: pool.")
    @Nullable
    List<String> platforms;

    @Option(names = "--regions", split = ",", paramLabel = "ID", description = "The only regions.")
    @Nullable
    List<String> regions;

    @Option(names = "--compliance", split = ",", paramLabel = "ID", description = "Such as cn-mlps-3, iso-27001.")
    @Nullable
    List<String> compliance;

    @Option(names = "--frameworks", split = ",", paramLabel = "NAME", description = "Frameworks that must run.")
    @Nullable
    List<String> frameworks;

    @Option(names = "--single-node", description = "All GPUs in one machine.")
    boolean singleNode;

    @Option(names = "--many-nodes", description = "Over any number of machines.")
    boolean manyNodes;

    @Option(names = "--interconnect", paramLabel = "NAME", description = "Such as nvlink.")
    @Nullable
    String interconnect;

    @Option(names = "--max-lead-time", paramLabel = "LENGTH", description = "Longest wait for stock: P14D, 14d.")
    @Nullable
    String maxLeadTime;

    @Option(names = "--customer-type", paramLabel = "NAME", description = "Such as company.")
    @Nullable
    String customerType;

    @Option(names = "--data-place", paramLabel = "PLACE", description = "Where data may lie, such as cn.")
    @Nullable
    String dataPlace;

    @Option(names = "--encrypted-disks", description = "Disks must be encrypted.")
    boolean encryptedDisks;

    @Option(names = "--no-public-ip", description = "No public address.")
    boolean noPublicIp;

    @Option(names = "--dedicated-host", description = "Hosts of our own.")
    boolean dedicatedHost;

    @Option(names = "--image", paramLabel = "NAME", description = "Image that the machines start from.")
    @Nullable
    String image;

    @Option(names = "--machine-frameworks", split = ",", paramLabel = "NAME", description = "Installed at the start.")
    @Nullable
    List<String> machineFrameworks;

    @Option(names = "--ssh-key", paramLabel = "KEY", description = "Public key that may log in; may be repeated.")
    @Nullable
    List<String> sshKeys;

    @Option(names = "--startup-script", paramLabel = "TEXT", description = "Run when a machine has started.")
    @Nullable
    String startupScript;

    @Option(names = "--data-disk", paramLabel = "GB", description = "Data disk of each machine.")
    @Nullable
    Integer dataDisk;

    @Option(names = "--public-ip", description = "With a public address.")
    boolean publicIp;

    @Option(names = "--at-end", paramLabel = "COMMAND", description = "Run inside the booked time before the end.")
    @Nullable
    String hook;

    @Option(names = "--at-end-timeout", paramLabel = "LENGTH", description = "Longest run of it: PT20M.")
    @Nullable
    String hookTimeout;

    @Option(names = "--keep", paramLabel = "none|disk|image", description = "What is kept after the end.")
    @Nullable
    String keep;

    @Option(names = "--keep-days", paramLabel = "N", description = "For how long.")
    @Nullable
    Integer keepDays;

    @Option(names = "--on-unavailable", paramLabel = "queue|refuse", description = "What to do when nothing fits.")
    @Nullable
    String onUnavailable;

    @Option(names = "--max-total", paramLabel = "MONEY", description = "Nothing is bought above it: 1000CNY.")
    @Nullable
    String maxTotal;

    @Option(names = "--title", paramLabel = "TEXT", description = "Shown in lists and calendars.")
    @Nullable
    String title;

    @Option(names = "--label", paramLabel = "K=V", description = "A label; may be repeated.")
    @Nullable
    Map<String, String> labels;

    /** Lays what is given over a body; a start without an end keeps the length that the body had. */
    BookingBody over(BookingBody body) {
        if (words != null && !words.isEmpty()) {
            body.setPhrase(String.join(" ", words));
        }
        gpu(body);
        times(body);
        constraints(body);
        substitution(body);
        machine(body);
        atEnd(body);
        ifGiven(
                onUnavailable,
                value -> body.setOnUnavailable(choice(
                        "--on-unavailable",
                        value,
                        OnUnavailable.fromValue(value),
                        OnUnavailable.UNKNOWN_DEFAULT_OPEN_API)));
        ifGiven(maxTotal, value -> body.setMaxTotal(money(value)));
        ifGiven(title, body::setTitle);
        if (labels != null) {
            Map<String, String> all = new HashMap<>(body.getLabels() == null ? Map.of() : body.getLabels());
            all.putAll(labels);
            body.setLabels(all);
        }
        return body;
    }

    private void gpu(BookingBody body) {
        if (gpu == null && count == null && nodes == null && memory == null && formFactor == null) {
            return;
        }
        GpuWish wish = body.getGpu() == null ? new GpuWish() : body.getGpu();
        ifGiven(gpu, wish::setModel);
        ifGiven(count, wish::setCount);
        ifGiven(nodes, wish::setNodes);
        ifGiven(memory, wish::setMemoryGb);
        ifGiven(formFactor, wish::setFormFactor);
        if (wish.getModel() == null || wish.getCount() == null) {
            throw new CliFailure(ExitCode.USAGE, "--gpu and --count go together, or give a phrase.");
        }
        body.setGpu(wish);
    }

    private void times(BookingBody body) {
        String startWas = body.getStart();
        String endWas = body.getEnd();
        ifGiven(timeZone, body::setTimeZone);
        ifGiven(start, body::setStart);
        if (end != null || length != null) {
            body.setEnd(end);
            body.setDuration(length == null ? null : Times.duration(length));
        } else if (start != null && startWas != null && endWas != null && body.getTimeZone() != null) {
            body.setEnd(null);
            body.setDuration(Times.length(startWas, endWas, body.getTimeZone()));
        }
    }

    private void constraints(BookingBody body) {
        Constraints wish = body.getConstraints() == null ? new Constraints() : body.getConstraints();
        ifGiven(platforms, wish::setPlatforms);
        ifGiven(regions, wish::setRegions);
        ifGiven(compliance, wish::setCompliance);
        ifGiven(frameworks, wish::setFrameworks);
        if (singleNode || manyNodes) {
            wish.setSingleNode(singleNode);
        }
        ifGiven(interconnect, wish::setInterconnect);
        ifGiven(maxLeadTime, value -> wish.setMaxLeadTime(Times.duration(value)));
        ifGiven(customerType, wish::setCustomerType);
        ifGiven(dataPlace, wish::setDataPlace);
        if (encryptedDisks || noPublicIp || dedicatedHost) {
            SecurityWish security = wish.getSecurity() == null ? new SecurityWish() : wish.getSecurity();
            ifTrue(encryptedDisks, security::setEncryptedDisks);
            ifTrue(noPublicIp, security::setNoPublicIp);
            ifTrue(dedicatedHost, security::setDedicatedHost);
            wish.setSecurity(security);
        }
        if (!wish.equals(new Constraints())) {
            body.setConstraints(wish);
        }
    }

    private void substitution(BookingBody body) {
        SubstitutionWish wish = body.getSubstitution() == null ? new SubstitutionWish() : body.getSubstitution();
        ifGiven(
                substitute,
                value -> wish.setMode(choice(
                        "--substitute",
                        value,
                        SubstitutionWish.ModeEnum.fromValue(value),
                        SubstitutionWish.ModeEnum.UNKNOWN_DEFAULT_OPEN_API)));
        ifGiven(models, wish::setModels);
        ifGiven(maxSlowdown, wish::setMaxSlowdown);
        ifTrue(scaleCount, wish::setScaleCount);
        ifTrue(extendWindow, wish::setExtendWindow);
        if (!wish.equals(new SubstitutionWish())) {
            body.setSubstitution(wish);
        }
    }

    private void machine(BookingBody body) {
        Machine wish = body.getMachine() == null ? new Machine() : body.getMachine();
        ifGiven(image, wish::setImage);
        ifGiven(machineFrameworks, wish::setFrameworks);
        ifGiven(sshKeys, wish::setSshKeys);
        ifGiven(startupScript, wish::setStartupScript);
        ifGiven(dataDisk, wish::setDataDiskGb);
        ifTrue(publicIp, wish::setPublicIp);
        if (!wish.equals(new Machine())) {
            body.setMachine(wish);
        }
    }

    private void atEnd(BookingBody body) {
        AtEnd wish = body.getAtEnd() == null ? new AtEnd() : body.getAtEnd();
        ifGiven(hook, wish::setHook);
        ifGiven(hookTimeout, value -> wish.setHookTimeout(Times.duration(value)));
        ifGiven(
                keep,
                value -> wish.setKeep(choice(
                        "--keep", value, AtEnd.KeepEnum.fromValue(value), AtEnd.KeepEnum.UNKNOWN_DEFAULT_OPEN_API)));
        ifGiven(keepDays, wish::setKeepDays);
        if (!wish.equals(new AtEnd())) {
            body.setAtEnd(wish);
        }
    }

    /** {@code 1000CNY}, {@code 1000.50 CNY} or {@code CNY 1000}. */
    static Money money(String text) {
        Matcher first = AMOUNT_FIRST.matcher(text.strip());
        if (first.matches()) {
            return money(first.group(1), first.group(2));
        }
        Matcher second = CURRENCY_FIRST.matcher(text.strip());
        if (second.matches()) {
            return money(second.group(2), second.group(1));
        }
        throw new CliFailure(
                ExitCode.USAGE, "--max-total: '" + text + "' is no amount with its currency, such as 1000CNY.");
    }

    private static Money money(String amount, String currency) {
        return new Money().amount(amount).currency(currency.toUpperCase(Locale.ROOT));
    }

    private static <E extends Enum<E>> E choice(String option, String said, E found, E unknown) {
        if (found == unknown) {
            List<String> known = new ArrayList<>();
            for (E each : found.getDeclaringClass().getEnumConstants()) {
                if (each != unknown) {
                    known.add(each.toString());
                }
            }
            throw new CliFailure(
                    ExitCode.USAGE, option + ": '" + said + "' is none of " + String.join(", ", known) + ".");
        }
        return found;
    }

    private static <T> void ifGiven(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    private static void ifTrue(boolean flag, Consumer<Boolean> setter) {
        if (flag) {
            setter.accept(true);
        }
    }
}
