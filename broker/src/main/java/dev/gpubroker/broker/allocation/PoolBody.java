package dev.gpubroker.broker.allocation;

import static java.util.Objects.requireNonNullElse;

import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.catalogue.Match;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.stored.Ids;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A pool as it is asked for; {@link #toPool} says what is wrong with it, or makes it. Pure. */
record PoolBody(
        String name,
        String model,
        int gpusPerNode,
        @Nullable Integer nodes,
        @Nullable List<Host> hosts,
        @Nullable String turnaround,
        @Nullable String readiness) {
    /** Longer pauses between two bookings are no cleaning up but an outage. */
    private static final Duration LONGEST_TURNAROUND = Duration.ofDays(7);

    private static final int MOST_NODES = 1024;
    private static final int MOST_GPUS = 128;
    private static final Pattern WEEKS = Pattern.compile("P(\\d{1,3})W");

    record Host(
            String name, @Nullable String address, @Nullable Integer gpus) {}

    /**
     * The pool, with new ids.
     *
     * @throws ApiProblem 400 {@code invalid_request} with every field at fault, or {@code unknown_model} with suggestions
     */
    OwnPool toPool(String teamId, GpuCatalogue catalogue, Instant now) {
        List<FieldError> errors = new ArrayList<>();
        PoolName.check(name, errors);
        checkGpus("gpusPerNode", gpusPerNode, errors);
        checkNodes(errors);
        Duration gap = gap(errors);
        if (!errors.isEmpty()) {
            throw new ApiProblem(Problem.invalid(errors));
        }
        return new OwnPool(
                Ids.next("pol", now),
                teamId,
                name,
                canonical(catalogue),
                gpusPerNode,
                gap,
                made(now),
                requireNonNullElse(readiness, OwnPool.NOT_ASKED),
                now);
    }

    private void checkNodes(List<FieldError> errors) {
        if ((nodes == null) == (hosts == null)) {
            errors.add(new FieldError(
                    hosts == null ? "nodes" : "hosts",
                    "exclusive",
                    "give nodes (how many) or hosts (which), not both and not neither",
                    "nodes（数量）与 hosts（清单）必须且只能给出一个"));
        } else if (hosts != null) {
            checkHosts(hosts, errors);
        } else if (nodes != null && (nodes < 1 || nodes > MOST_NODES)) {
            errors.add(outside("nodes", MOST_NODES));
        }
    }

    private static void checkHosts(List<Host> hosts, List<FieldError> errors) {
        if (hosts.isEmpty() || hosts.size() > MOST_NODES) {
            errors.add(outside("hosts", MOST_NODES));
            return;
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < hosts.size(); i++) {
            Host host = hosts.get(i);
            HostAddress.checkName("hosts[" + i + "].name", host.name(), errors);
            if (host.gpus() != null) {
                checkGpus("hosts[" + i + "].gpus", host.gpus(), errors);
            }
            if (host.address() != null) {
                HostAddress.check("hosts[" + i + "].address", host.address(), errors);
            }
            if (!names.add(PoolName.folded(host.name()))) {
                errors.add(new FieldError("hosts[" + i + "].name", "unique", "is given twice", "主机名重复"));
            }
        }
    }

    private static void checkGpus(String field, int gpus, List<FieldError> errors) {
        if (gpus < 1 || gpus > MOST_GPUS) {
            errors.add(outside(field, MOST_GPUS));
        }
    }

    private static FieldError outside(String field, int most) {
        return new FieldError(field, "range", "must be from 1 to " + most, "必须是 1 到 " + most);
    }

    private Duration gap(List<FieldError> errors) {
        Duration gap = turnaround == null ? Duration.ZERO : duration(turnaround).orElse(null);
        if (gap == null || gap.isNegative() || gap.getNano() != 0 || gap.compareTo(LONGEST_TURNAROUND) > 0) {
            errors.add(new FieldError(
                    "turnaround",
                    "duration",
                    "must be an ISO 8601 duration of whole seconds from PT0S to P7D, as PT30M",
                    "必须是 PT0S 到 P7D 之间、精确到秒的 ISO 8601 时长，例如 PT30M"));
            return Duration.ZERO;
        }
        return gap;
    }

    private static Optional<Duration> duration(String text) {
        Matcher weeks = WEEKS.matcher(text);
        if (weeks.matches()) {
            return Optional.of(Duration.ofDays(7L * Integer.parseInt(weeks.group(1))));
        }
        try {
            return Optional.of(Duration.parse(text));
        } catch (DateTimeException | ArithmeticException notOne) {
            return Optional.empty();
        }
    }

    private String canonical(GpuCatalogue catalogue) {
        Match match = catalogue.find(model).orElseThrow(() -> unknownModel(catalogue));
        if (match.memoryGb() != null || match.formFactor() != null) {
            throw severalVariants(match);
        }
        return match.canonical();
    }

    private ApiProblem unknownModel(GpuCatalogue catalogue) {
        List<String> near = catalogue.suggest(model);
        return new ApiProblem(new Problem(
                400,
                "unknown_model",
                "No GPU model is called " + model + (near.isEmpty() ? "" : "; perhaps " + String.join(", ", near))
                        + ". GET /v1/gpu-models has all.",
                "没有名为 " + model + " 的 GPU 型号" + (near.isEmpty() ? "" : "；是否指 " + String.join("、", near))
                        + "。全部型号见 GET /v1/gpu-models。",
                List.of(new FieldError("model", "unknown_model", "is no model of the catalogue", "不是目录中的型号")),
                Map.of("suggestions", near),
                Map.of()));
    }

    /** To keep only the family would lose what was said, and the pool would then not serve those who ask for it. */
    private ApiProblem severalVariants(Match match) {
        List<String> ids = match.variants().stream().map(GpuModel::id).toList();
        return new ApiProblem(Problem.invalidField(
                        "model",
                        "several_variants",
                        "may be any of " + String.join(", ", ids) + ": give one of them, or the family alone",
                        "可能是 " + String.join("、", ids) + " 中的任意一个：请给出其中一个，或只写型号系列")
                .with("suggestions", ids));
    }

    private List<OwnPool.Node> made(Instant now) {
        List<Host> all = requireNonNullElse(hosts, numbered());
        return IntStream.range(0, all.size())
                .mapToObj(i -> new OwnPool.Node(
                        // A millisecond apart, so that they sort as they were given.
                        Ids.next("nod", now.plusMillis(i)),
                        all.get(i).name(),
                        all.get(i).address(),
                        requireNonNullElse(all.get(i).gpus(), gpusPerNode)))
                .toList();
    }

    private List<Host> numbered() {
        return nodes == null
                ? List.of()
                : IntStream.rangeClosed(1, nodes)
                        .mapToObj(number -> new Host(HostAddress.numbered(name, number), null, null))
                        .toList();
    }
}
