package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.broker.allocation.Allocations;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.inventory.Inventory;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.request.BookingRequest;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Gathers everything planning looks at, all at once, and plans. */
public final class PlanDesk {
    private static final int MOST_GPUS_PER_NODE = 16;

    private final Candidates candidates;
    private final Inventory inventory;
    private final Allocations allocations;
    private final LeadTimeSource leadTimes;
    private final RecentRefusals.Source refusals;
    private final PlanningInput.Compliance compliance;
    private final Planner planner;
    private final java.util.function.Supplier<Policy> policy;
    private final InstantSource clock;

    public PlanDesk(
            Candidates candidates,
            Inventory inventory,
            Allocations allocations,
            LeadTimeSource leadTimes,
            RecentRefusals.Source refusals,
            PlanningInput.Compliance compliance,
            Planner planner,
            java.util.function.Supplier<Policy> policy,
            InstantSource clock) {
        this.candidates = candidates;
        this.inventory = inventory;
        this.allocations = allocations;
        this.leadTimes = leadTimes;
        this.refusals = refusals;
        this.compliance = compliance;
        this.planner = planner;
        this.policy = policy;
        this.clock = clock;
    }

    /** Reads what is known of waits, for one planning. */
    @FunctionalInterface
    public interface LeadTimeSource {
        Future<LeadTimes> read(Set<String> models);
    }

    /** A planning with the picture it was made on. */
    public record Deliberation(Planning planning, Snapshot snapshot) {}

    public Future<Deliberation> deliberate(String team, BookingRequest request) {
        Future<Seen> seen = look(team, request, candidates.of(request));
        if (!Stretches.areWanted(request)) {
            return seen.map(
                    base -> new Deliberation(base.planning(), base.input().snapshot()));
        }
        return seen.compose(base -> stretched(
                        request,
                        base,
                        (larger, found) -> look(team, larger, found).map(Seen::planning))
                .map(planning -> new Deliberation(planning, base.input().snapshot())));
    }

    private Future<Seen> look(String team, BookingRequest request, Candidates.Found found) {
        Instant now = clock.instant();
        PlanningInput shell = input(
                request,
                found,
                new Snapshot(request.window(), now, List.of()),
                List.of(),
                List.of(),
                none(),
                RecentRefusals.none(),
                now);
        Future<Snapshot> snapshot = inventory.snapshot(query(request, found, shell));
        Allocations.Wanted wanted = wanted(team, request, found);
        Future<List<Place>> places = allocations.find(wanted, shell.window());
        Future<List<Allocations.PoolView>> pools = allocations.eligible(wanted); // Also those left aside, to say so.
        Future<LeadTimes> waits = leadTimes.read(
                found.candidates().stream().map(each -> each.model().id()).collect(Collectors.toSet()));
        Future<RecentRefusals> refused = refusals.read(now);
        return Future.all(snapshot, places, pools, waits, refused).map(all -> {
            PlanningInput whole = input(
                    request,
                    found,
                    snapshot.result(),
                    places.result(),
                    pools.result(),
                    waits.result(),
                    refused.result(),
                    now);
            return new Seen(planner.plan(whole), whole);
        });
    }

    /** A planning, and what it looked at. */
    private record Seen(Planning planning, PlanningInput input) {}

    /** With what slower models could take beyond what was asked, where the request allows that. */
    private Future<Planning> stretched(
            BookingRequest request, Seen base, BiFunction<BookingRequest, Candidates.Found, Future<Planning>> look) {
        Candidates.Found lenient = candidates.of(Stretches.lenient(request));
        PlanningInput order = input(
                request,
                lenient,
                base.input().snapshot(),
                List.of(),
                List.of(),
                none(),
                RecentRefusals.none(),
                base.input().now());
        List<Stretches.Stretched> larger =
                new Stretches(request, base.input().snapshot(), base.input().pools()).of(lenient.candidates());
        List<Future<Planning>> seen = larger.stream()
                .map(each -> look.apply(each.request(), new Candidates.Found(List.of(each.candidate()), List.of())))
                .toList();
        return Future.all(new ArrayList<>(seen))
                .map(all -> planner.together(
                        base.planning(),
                        larger,
                        seen.stream().map(Future::result).toList(),
                        order));
    }

    /** Plans in own pools, of the asked model and of what may stand in; calls no platform. */
    public Future<Planning> ownCapacity(String team, BookingRequest request) {
        Future<Seen> seen = lookAtPools(team, request, candidates.of(request));
        if (!Stretches.areWanted(request)) {
            return seen.map(Seen::planning);
        }
        return seen.compose(base -> stretched(
                request,
                base,
                (larger, found) -> lookAtPools(team, larger, found).map(Seen::planning)));
    }

    private Future<Seen> lookAtPools(String team, BookingRequest request, Candidates.Found asked) {
        Instant now = clock.instant();
        PlanningInput shell = input(
                request,
                asked,
                new Snapshot(request.window(), now, List.of()),
                List.of(),
                List.of(),
                none(),
                RecentRefusals.none(),
                now);
        Allocations.Wanted wanted = wanted(team, request, asked);
        Future<List<Allocations.PoolView>> pools =
                Stretches.areWanted(request) ? allocations.eligible(wanted) : Future.succeededFuture(List.of());
        Future<List<Place>> places = allocations.find(wanted, shell.window());
        return Future.all(places, pools).map(both -> {
            PlanningInput whole = input(
                    request,
                    asked,
                    shell.snapshot(),
                    places.result(),
                    pools.result(),
                    none(),
                    RecentRefusals.none(),
                    now);
            return new Seen(planner.plan(whole), whole);
        });
    }

    private static LeadTimes none() {
        return (account, region, flavor) -> java.util.Optional.empty();
    }

    private PlanningInput input(
            BookingRequest request,
            Candidates.Found found,
            Snapshot snapshot,
            List<Place> places,
            List<Allocations.PoolView> pools,
            LeadTimes waits,
            RecentRefusals refused,
            Instant now) {
        return new PlanningInput(
                request,
                found.candidates(),
                found.rejected(),
                snapshot,
                places,
                pools,
                waits,
                refused,
                compliance,
                policy.get(),
                now);
    }

    private static Inventory.Query query(BookingRequest request, Candidates.Found found, PlanningInput shell) {
        ShapeRule rule = ShapeRule.of(request);
        List<Ask> asks = found.candidates().stream()
                .flatMap(candidate -> asks(candidate.model().id(), rule))
                .toList();
        return new Inventory.Query(
                asks,
                shell.window(),
                request.constraints().platforms(),
                request.constraints().regions(),
                request.machineWish(),
                true);
    }

    private static Stream<Ask> asks(String model, ShapeRule rule) {
        return IntStream.rangeClosed(1, MOST_GPUS_PER_NODE).boxed().flatMap(gpus -> {
            OptionalInt nodes = rule.nodesOf(gpus);
            return nodes.isPresent() ? Stream.of(new Ask(new Flavor(model, gpus), nodes.getAsInt())) : Stream.of();
        });
    }

    /** What own pools are asked for; no model at all where the request keeps away from them. */
    public Allocations.Wanted wanted(String team, BookingRequest request) {
        return request.constraints().allowsPools()
                ? wanted(team, request, candidates.of(request))
                : wanted(team, request, Set.of());
    }

    /** What own pools are asked for; a pool of another model than the asked one serves only when stand-ins may. */
    private static Allocations.Wanted wanted(String team, BookingRequest request, Candidates.Found found) {
        Set<String> models = found.candidates().stream()
                .flatMap(each -> Stream.of(each.model().id(), each.model().family()))
                .collect(Collectors.toSet());
        return wanted(team, request, models);
    }

    /** Own capacity in the plan's pool, of its model, as much as the plan takes. */
    public static Allocations.Wanted wantedInPool(String team, BookingRequest request, Plan plan) {
        Allocations.Wanted wanted = wanted(team, plan.serving(request), plan);
        return new Allocations.Wanted(
                wanted.teamId(),
                wanted.models(),
                wanted.gpus(),
                wanted.nodes(),
                wanted.singleNode(),
                wanted.statesMemoryOrForm(),
                Set.of(plan.sku()));
    }

    /** Own capacity of the plan's model, in whichever pool, as much as the request says. */
    public static Allocations.Wanted wanted(String team, BookingRequest request, Plan plan) {
        return wanted(team, request, Set.of(plan.flavor().model()));
    }

    private static Allocations.Wanted wanted(String team, BookingRequest request, Set<String> models) {
        BookingRequest.Gpu gpu = request.gpu();
        return new Allocations.Wanted(
                team,
                models,
                gpu.count(),
                gpu.nodes(),
                ShapeRule.of(request).oneNode(),
                gpu.memoryGb() != null || gpu.formFactor() != null,
                Set.of());
    }
}
