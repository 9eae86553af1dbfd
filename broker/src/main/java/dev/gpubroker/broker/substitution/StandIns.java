package dev.gpubroker.broker.substitution;

import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.broker.catalogue.FrameworkFits;
import dev.gpubroker.broker.catalogue.FrameworkFits.Fit;
import dev.gpubroker.broker.catalogue.FrameworkFits.Level;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.catalogue.SubstitutionFacts;
import dev.gpubroker.broker.catalogue.SubstitutionFacts.Fact;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import dev.gpubroker.broker.request.BookingRequest.Substitution.Mode;
import dev.gpubroker.broker.substitution.StandIn.ActsAs;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Ranks the models that may stand in for the asked one. Judges by what the request states and what the catalogue knows;
 * compliance, regions, stock and price belong to platforms and are judged later, and are never relaxed for a stand-in.
 */
public final class StandIns {
    private final GpuCatalogue catalogue;
    private final SubstitutionFacts facts;
    private final FrameworkFits fits;
    private final Slowdown slowdown;

    public StandIns(GpuCatalogue catalogue, SubstitutionFacts facts, FrameworkFits fits) {
        this.catalogue = catalogue;
        this.facts = facts;
        this.fits = fits;
        this.slowdown = new Slowdown(facts, fits);
    }

    public static StandIns shipped() {
        return new StandIns(GpuCatalogue.shipped(), SubstitutionFacts.shipped(), FrameworkFits.shipped());
    }

    /**
     * @param candidates best first: in the order of the request's {@code models}, else the lowest slowdown
     * @param rejections every other model that was considered, with the first reason against it
     */
    public record Ranking(List<StandIn> candidates, List<Rejection> rejections) {
        public Ranking {
            candidates = List.copyOf(candidates);
            rejections = List.copyOf(rejections);
        }

        static final Ranking NONE = new Ranking(List.of(), List.of());
    }

    /** A model that may not stand in, and the first reason that was found. */
    public record Rejection(GpuModel model, Reason reason, String detail) {}

    /**
     * Empty for mode {@code never}. A model of the asked variants is no substitute and appears in neither list.
     *
     * <p>Acting as {@code ask} although the request says {@code auto}: less memory per GPU than the least of the asked
     * variants while the job states no memory, or another software stack, unless {@code models} names the model.
     *
     * @param asked the variants that would do, not empty
     */
    public Ranking rank(BookingRequest request, List<GpuModel> asked) {
        Substitution settings = request.substitution();
        if (settings.mode() == Mode.NEVER) {
            return Ranking.NONE;
        }
        Map<GpuModel, Integer> named = named(settings);
        List<GpuModel> considered = new ArrayList<>(named.keySet());
        asked.forEach(model ->
                facts.from(model).forEach(fact -> catalogue.model(fact.to()).ifPresent(considered::add)));

        List<StandIn> candidates = new ArrayList<>();
        List<Rejection> rejections = new ArrayList<>();
        for (GpuModel model :
                considered.stream().distinct().filter(m -> !asked.contains(m)).toList()) {
            Optional<Rejection> hard = hardReason(request, named, asked, model);
            if (hard.isPresent()) {
                rejections.add(hard.get());
                continue;
            }
            Optional<Fact> fact = slowdown.of(asked, model);
            Optional<Rejection> slow = slowReason(settings, model, fact);
            if (slow.isPresent()) {
                rejections.add(slow.get());
            } else {
                candidates.add(standIn(request, named.containsKey(model), asked, model, fact.orElseThrow()));
            }
        }
        candidates.sort(order(named));
        return new Ranking(candidates, rejections);
    }

    /** The models that the request names, each with its place in the list; families stand for all their variants. */
    private Map<GpuModel, Integer> named(Substitution settings) {
        Map<GpuModel, Integer> named = new LinkedHashMap<>();
        for (int place = 0; place < settings.models().size(); place++) {
            for (GpuModel model : catalogue.variants(settings.models().get(place))) {
                named.putIfAbsent(model, place);
            }
        }
        return named;
    }

    private static Comparator<StandIn> order(Map<GpuModel, Integer> named) {
        return Comparator.<StandIn>comparingInt(s -> named.getOrDefault(s.model(), 0))
                .thenComparing(StandIn::expectedSlowdown)
                .thenComparing(s -> s.model().denseHalfTflops().orElse(BigDecimal.ZERO)) // The smaller one costs less.
                .thenComparing(s -> -s.model().memoryGb())
                .thenComparing(s -> s.model().id());
    }

    /** The written order of the checks; the first that applies answers. */
    private Optional<Rejection> hardReason(
            BookingRequest request, Map<GpuModel, Integer> named, List<GpuModel> asked, GpuModel model) {
        if (!request.substitution().models().isEmpty() && !named.containsKey(model)) {
            return reject(
                    model,
                    Reason.NOT_ALLOWED_BY_POLICY,
                    "not among the models that may stand in: "
                            + String.join(", ", request.substitution().models()));
        }
        Integer memory = request.gpu().memoryGb();
        if (memory != null && memory > model.memoryGb()) {
            return reject(
                    model,
                    Reason.MEMORY_TOO_SMALL,
                    "the job needs " + memory + " GB per GPU, " + model.id() + " has " + model.memoryGb() + " GB");
        }
        String formFactor = request.gpu().formFactor();
        if (formFactor != null && !Hardware.satisfiesFormFactor(model, formFactor)) {
            return reject(
                    model,
                    Reason.FORM_FACTOR,
                    "asked is " + formFactor + ", " + model.id() + " is " + model.formFactor());
        }
        String interconnect = request.constraints().interconnect();
        if (interconnect != null && !Hardware.satisfiesInterconnect(model, interconnect)) {
            return reject(
                    model,
                    Reason.INTERCONNECT,
                    "asked is " + interconnect + " between the GPUs, " + model.id() + " has " + model.interconnect());
        }
        return frameworks(request).stream()
                .filter(framework -> !runs(framework, asked, model))
                .findFirst()
                .flatMap(framework -> reject(
                        model,
                        Reason.FRAMEWORK_UNFIT,
                        framework + " is not known to run on " + model.id() + " (" + model.vendor() + ")"));
    }

    private static Optional<Rejection> slowReason(Substitution settings, GpuModel model, Optional<Fact> fact) {
        if (fact.isEmpty()) {
            return reject(
                    model,
                    Reason.TOO_SLOW,
                    "no figure of " + model.id() + " can be compared, so its run time is unknown");
        }
        BigDecimal most = settings.maxSlowdown();
        BigDecimal expected = fact.get().expectedSlowdown();
        if (most != null && expected.compareTo(most) > 0) {
            return reject(
                    model,
                    Reason.TOO_SLOW,
                    "expected run time ×" + expected.toPlainString() + " ("
                            + fact.get().basis().wireName() + "), at most ×" + most.toPlainString() + " is allowed");
        }
        return Optional.empty();
    }

    private static Optional<Rejection> reject(GpuModel model, Reason reason, String detail) {
        return Optional.of(new Rejection(model, reason, detail));
    }

    /** What constraints and machine state, in order. */
    private static Set<String> frameworks(BookingRequest request) {
        Set<String> frameworks = new TreeSet<>(request.constraints().frameworks());
        if (request.machine() != null) {
            frameworks.addAll(request.machine().frameworks());
        }
        return frameworks;
    }

    /** What the table knows nothing of, for any GPU of a vendor, is taken to run where the asked vendor is kept. */
    private boolean runs(String framework, List<GpuModel> asked, GpuModel model) {
        return fits.find(framework, model).isPresent()
                || (sameVendor(asked, model) && !fits.covers(framework, model.vendor()));
    }

    private static boolean sameVendor(List<GpuModel> asked, GpuModel model) {
        return asked.stream().anyMatch(a -> a.vendor().equals(model.vendor()));
    }

    private StandIn standIn(BookingRequest request, boolean named, List<GpuModel> asked, GpuModel model, Fact fact) {
        int least = asked.stream().mapToInt(GpuModel::memoryGb).min().orElseThrow();
        boolean lessMemory = model.memoryGb() < least;
        boolean unstated = request.gpu().memoryGb() == null;
        boolean otherStack = !sameVendor(asked, model) || ported(request, model);
        boolean mayAct =
                request.substitution().mode() == Mode.AUTO && (named || !((lessMemory && unstated) || otherStack));
        ReasonText text = new ReasonText(request.gpu().model(), model, fact, lessMemory ? least : 0, otherStack);
        return new StandIn(
                model,
                fact.expectedSlowdown(),
                fact.basis(),
                text.english(),
                text.chinese(),
                mayAct ? ActsAs.AUTO : ActsAs.ASK,
                fact.provenance());
    }

    private boolean ported(BookingRequest request, GpuModel model) {
        return frameworks(request).stream()
                .map(framework -> fits.find(framework, model))
                .flatMap(Optional::stream)
                .map(Fit::level)
                .anyMatch(level -> level != Level.NATIVE);
    }
}
