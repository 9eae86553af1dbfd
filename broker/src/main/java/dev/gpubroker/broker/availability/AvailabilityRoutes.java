package dev.gpubroker.broker.availability;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.catalogue.UnknownModel;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.inventory.Inventory;
import dev.gpubroker.broker.inventory.PlatformInventory;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.planning.LeadTimes;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.request.MachineWish;
import dev.gpubroker.broker.request.TimeZones;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code GET /v1/availability}: per platform, what is free now, the earliest window and the wait with its source. */
public final class AvailabilityRoutes implements Routes {
    private static final Duration USUAL_SPAN = Duration.ofDays(1);
    private static final Duration LONGEST_SPAN = Duration.ofDays(400);
    /** Up to this many GPUs are looked for in one machine; more in machines of at least this many. */
    private static final int USUAL_NODE = 8;

    private final PlatformInventory inventory;
    private final Platforms platforms;
    private final PlanDesk.LeadTimeSource leadTimes;
    private final GpuCatalogue catalogue;
    private final ZoneId zone;
    private final InstantSource clock;

    /** @param zone in which times are read and shown where the request names none */
    public AvailabilityRoutes(
            PlatformInventory inventory,
            Platforms platforms,
            PlanDesk.LeadTimeSource leadTimes,
            GpuCatalogue catalogue,
            ZoneId zone,
            InstantSource clock) {
        this.inventory = inventory;
        this.platforms = platforms;
        this.leadTimes = leadTimes;
        this.catalogue = catalogue;
        this.zone = zone;
        this.clock = clock;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("readAvailability", this::readAvailability);
    }

    private Future<ApiReply> readAvailability(ApiRequest request) {
        ZoneId shown = zoneOf(request);
        Window window = window(request, shown);
        Set<String> models = models(request.query("model"));
        int count = request.queryInt("count", 1);
        Inventory.Query query =
                new Inventory.Query(asks(models, count), window, Set.of(), Set.of(), MachineWish.none(), false);
        Future<Snapshot> snapshot = inventory.stock(query);
        Future<LeadTimes> waits = leadTimes.read(models);
        return Future.all(snapshot, waits)
                .map(both -> ApiReply.ok(
                        new AvailabilityJson(snapshot.result(), waits.result(), clock.instant(), shown).json()));
    }

    /** Every shape that holds the GPUs, each asked once however many platforms sell it. */
    private List<Ask> asks(Set<String> models, int count) {
        return platforms.accounts().stream()
                .flatMap(account -> account.capabilities().shapes().stream())
                .map(Shape::flavor)
                .filter(flavor -> models.contains(flavor.model()))
                .filter(flavor -> flavor.gpusPerNode() >= Math.min(count, USUAL_NODE))
                .distinct()
                .sorted(Comparator.comparing(Flavor::model).thenComparing(Flavor::gpusPerNode))
                .map(flavor -> new Ask(flavor, (count + flavor.gpusPerNode() - 1) / flavor.gpusPerNode()))
                .toList();
    }

    private Set<String> models(@Nullable String name) {
        List<GpuModel> models = name == null
                ? catalogue.models()
                : catalogue
                        .find(name)
                        .orElseThrow(() -> UnknownModel.problem(catalogue, name))
                        .variants();
        return models.stream().map(GpuModel::id).collect(Collectors.toUnmodifiableSet());
    }

    private Window window(ApiRequest request, ZoneId shown) {
        Instant now = clock.instant();
        Instant thisHour = now.truncatedTo(ChronoUnit.HOURS);
        Instant nextHour = thisHour.equals(now) ? now : thisHour.plus(Duration.ofHours(1));
        Instant asked = request.queryTime("from", shown);
        Instant from = asked == null || asked.isBefore(nextHour) ? nextHour : asked;
        Instant wanted = request.queryTime("to", shown);
        Instant to = wanted == null ? from.plus(USUAL_SPAN) : wanted;
        if (!from.isBefore(to) || to.isAfter(from.plus(LONGEST_SPAN))) {
            throw new ApiProblem(Problem.invalidField(
                    "to",
                    "range",
                    "must lie in the future and after from, at most " + LONGEST_SPAN.toDays() + " days",
                    "必须在将来且晚于 from，最多相隔 " + LONGEST_SPAN.toDays() + " 天"));
        }
        return new Window(from, to);
    }

    private ZoneId zoneOf(ApiRequest request) {
        String name = request.query("timeZone");
        return name == null
                ? zone
                : TimeZones.named(name)
                        .orElseThrow(() -> new ApiProblem(
                                400,
                                "time_zone_unknown",
                                "'" + name + "' is no IANA time zone, such as Asia/Shanghai.",
                                "“" + name + "”不是 IANA 时区，例如 Asia/Shanghai。"));
    }
}
