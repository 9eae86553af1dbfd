package dev.gpubroker.broker.planning;

import static dev.gpubroker.broker.request.BookingRequest.Constraints.OWN_REGION;

import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.quote.Quoter;
import dev.gpubroker.broker.request.BookingRequest;
import java.math.BigDecimal;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Plans: a pure function of the request, a fixed picture of offers, the catalogue, stock history, policy and now. Every
 * candidate ends as a plan or as a reason.
 */
public final class Planner {
    private static final String POOL = "pool";

    private final Quoter quoter;

    public Planner(Quoter quoter) {
        this.quoter = quoter;
    }

    public Planning plan(PlanningInput input) {
        Set<Rejection> explanation = new LinkedHashSet<>(input.rejected());
        List<Plan> plans = new ArrayList<>(poolPlans(input, explanation));
        List<Plan> watched = new ArrayList<>();
        List<Plan> aboveLimit = new ArrayList<>();
        boolean possible =
                !input.pools().isEmpty() && input.request().constraints().allowsPools();
        explanation.addAll(withoutAccount(input));
        for (Snapshot.Answer answer : input.snapshot().answers()) {
            Optional<Rejection> barred = barred(input, answer);
            if (barred.isPresent() && isTheRequestsOwn(barred.get())) {
                explanation.add(about(input.request().gpu().model(), barred.get()));
                continue;
            }
            for (Candidate candidate : input.candidates()) {
                if (barred.isPresent()) {
                    explanation.add(about(candidate.model().id(), barred.get()));
                } else {
                    AnswerPlanner one = new AnswerPlanner(quoter, input, answer, candidate);
                    one.run();
                    plans.addAll(one.plans());
                    watched.addAll(one.watched());
                    aboveLimit.addAll(one.aboveLimit());
                    explanation.addAll(one.rejections());
                    possible |= one.possible();
                }
            }
        }
        Reason because = becauseOf(input, explanation);
        plans.replaceAll(plan -> plan.because(because));
        aboveLimit.replaceAll(plan -> plan.because(because));
        return new Planning(
                ranked(plans, input),
                watched,
                ranked(aboveLimit, input),
                input.places(),
                withoutNoise(explanation),
                possible);
    }

    /**
     * A planning with what stand-ins could take beyond what was asked.
     *
     * @param base of what was asked
     * @param order of the models, the asked ones first
     */
    Planning together(Planning base, List<Stretches.Stretched> larger, List<Planning> seen, PlanningInput order) {
        Reason because = becauseOf(order, new LinkedHashSet<>(base.explanation()));
        List<Plan> plans = new ArrayList<>(base.plans());
        List<Place> places = new ArrayList<>(base.places());
        Set<Rejection> explanation = new LinkedHashSet<>();
        for (int i = 0; i < larger.size(); i++) {
            seen.get(i).plans().stream().map(plan -> plan.because(because)).forEach(plans::add);
            places.addAll(seen.get(i).places());
        }
        Set<String> planned = plans.stream().map(plan -> plan.flavor().model()).collect(Collectors.toSet());
        base.explanation().stream()
                .filter(each -> each.reason() != Reason.TOO_SLOW || !planned.contains(each.model()))
                .forEach(explanation::add);
        List<Rejection> whole = new ArrayList<>(withoutNoise(explanation));
        for (int i = 0; i < larger.size(); i++) {
            whole.addAll(told(larger.get(i), seen.get(i), base));
        }
        return new Planning(ranked(plans, order), base.watched(), base.aboveLimit(), places, whole, base.possible());
    }

    /** Of what could not be had, that which says something new: a price that is too high, or what keeps only more of it away. */
    private static List<Rejection> told(Stretches.Stretched larger, Planning seen, Planning base) {
        Plan.StandIn standIn =
                java.util.Objects.requireNonNull(larger.candidate().standIn());
        Stretch stretch = java.util.Objects.requireNonNull(standIn.stretch());
        String with = stretch.english(larger.request().timeZone());
        Set<String> known = base.explanation().stream().map(Planner::what).collect(Collectors.toSet());
        return seen.explanation().stream()
                .filter(each -> each.reason() != Reason.SHAPE_NOT_OFFERED && each.reason() != Reason.NOT_OFFERED)
                .filter(each -> each.reason() == Reason.TOO_EXPENSIVE || !known.contains(what(each)))
                .map(each -> new Rejection(
                        each.platform(), each.sku(), each.model(), each.reason(), with + ": " + each.detail()))
                .toList();
    }

    private static String what(Rejection one) {
        return one.platform() + "|" + one.sku() + "|" + one.model() + "|" + one.reason();
    }

    /** Why the asked model does not do: a wait that is too long says more than that it is sold out. */
    private static Reason becauseOf(PlanningInput input, Set<Rejection> explanation) {
        Set<String> asked = input.candidates().stream()
                .filter(Candidate::isExact)
                .map(candidate -> candidate.model().id())
                .collect(Collectors.toSet());
        List<Reason> reasons = explanation.stream()
                .filter(each -> asked.contains(each.model()))
                .map(Rejection::reason)
                .toList();
        return Stream.of(Reason.LEAD_TIME_TOO_LONG, Reason.SOLD_OUT)
                .filter(reasons::contains)
                .findFirst()
                .orElse(reasons.isEmpty() ? Reason.SOLD_OUT : reasons.get(0));
    }

    /** What the request rules out in so many words is said once, not of each variant and of each that may stand in. */
    private static boolean isTheRequestsOwn(Rejection barred) {
        return barred.reason() == Reason.NOT_ALLOWED_BY_POLICY || barred.reason() == Reason.REGION;
    }

    /** The platforms that the request names and that nobody has connected; all of them where it names none. */
    private static List<Rejection> withoutAccount(PlanningInput input) {
        BookingRequest.Constraints wishes = input.request().constraints();
        Set<String> connected = input.snapshot().answers().stream()
                .map(answer -> answer.account().platform())
                .collect(Collectors.toSet());
        String model = input.request().gpu().model();
        if (wishes.platforms().isEmpty() && connected.isEmpty() && input.pools().isEmpty()) {
            return List.of(new Rejection(
                    "any", null, model, Reason.NOT_ELIGIBLE, "no account is connected, and no pool could serve"));
        }
        List<Rejection> missing = new ArrayList<>();
        for (String platform : sorted(wishes.platforms())) {
            if (platform.equals(POOL) && input.pools().isEmpty()) {
                missing.add(new Rejection(POOL, null, model, Reason.NOT_OFFERED, "no pool could ever serve this"));
            } else if (!platform.equals(POOL) && !connected.contains(platform)) {
                missing.add(new Rejection(
                        platform, null, model, Reason.NOT_ELIGIBLE, "no account of this platform is connected"));
            }
        }
        return missing;
    }

    /** What rules a whole account out, before any offer is looked at. */
    private static Optional<Rejection> barred(PlanningInput input, Snapshot.Answer answer) {
        BookingRequest.Constraints wishes = input.request().constraints();
        String platform = answer.account().platform();
        if (!wishes.allowsPlatform(platform)) {
            return Optional.of(rejection(
                    answer, Reason.NOT_ALLOWED_BY_POLICY, "the request allows only " + sorted(wishes.platforms())));
        }
        if (!wishes.allowsRegion(answer.region())) {
            return Optional.of(
                    rejection(answer, Reason.REGION, answer.region() + " is not among " + sorted(wishes.regions())));
        }
        String customer = wishes.customerType();
        if (customer != null && !input.compliance().sellsTo(platform, customer)) {
            return Optional.of(rejection(
                    answer, Reason.NOT_ELIGIBLE, "its profile does not name " + customer + " among its customers"));
        }
        String dataPlace = wishes.dataPlace();
        if (dataPlace != null && !input.compliance().keepsDataIn(platform, dataPlace)) {
            return Optional.of(rejection(
                    answer, Reason.NOT_COMPLIANT, "there is no evidence that its data stays in " + dataPlace));
        }
        if (wishes.security().contains("encryptedDisks") || wishes.security().contains("dedicatedHost")) {
            return Optional.of(
                    rejection(answer, Reason.NOT_COMPLIANT, "there is no evidence of " + sorted(wishes.security())));
        }
        return input.compliance()
                .lacks(
                        platform,
                        wishes.compliance(),
                        input.now().atZone(ZoneOffset.UTC).toLocalDate())
                .map(why -> rejection(answer, Reason.NOT_COMPLIANT, why));
    }

    private static Rejection rejection(Snapshot.Answer answer, Reason reason, String detail) {
        return new Rejection(answer.account().platform(), null, "", reason, detail);
    }

    private static Rejection about(String model, Rejection barred) {
        return new Rejection(barred.platform(), null, model, barred.reason(), barred.detail());
    }

    private static List<String> sorted(Set<String> names) {
        return names.stream().sorted().toList();
    }

    private List<Plan> poolPlans(PlanningInput input, Set<Rejection> explanation) {
        BookingRequest.Constraints wishes = input.request().constraints();
        if (!wishes.allowsPools()) {
            boolean elsewhere = wishes.allowsPlatform(POOL);
            input.pools()
                    .forEach(pool -> explanation.add(new Rejection(
                            POOL,
                            pool.name(),
                            pool.model(),
                            elsewhere ? Reason.REGION : Reason.NOT_ALLOWED_BY_POLICY,
                            elsewhere
                                    ? "own machines lie in the region “" + OWN_REGION + "”, which is not among "
                                            + sorted(wishes.regions())
                                    : "the request allows only " + sorted(wishes.platforms()))));
            return List.of();
        }
        input.pools().stream()
                .filter(pool -> input.places().stream()
                        .noneMatch(place -> place.poolId().equals(pool.poolId())))
                .forEach(pool -> explanation.add(new Rejection(
                        "pool", pool.name(), pool.model(), Reason.SOLD_OUT, "no room over the whole window")));
        return input.places().stream()
                .flatMap(
                        place -> candidateOf(input, place).map(candidate -> poolPlan(input, place, candidate)).stream())
                .toList();
    }

    private static Optional<Candidate> candidateOf(PlanningInput input, Place place) {
        return input.candidates().stream()
                .filter(candidate -> candidate.model().id().equals(place.model())
                        || candidate.model().family().equals(place.model()))
                .findFirst();
    }

    private Plan poolPlan(PlanningInput input, Place place, Candidate candidate) {
        Window window = input.window();
        int perNode = place.parts().get(0).gpus();
        return new Plan(
                POOL,
                POOL,
                OWN_REGION,
                null,
                place.poolName(),
                new dev.gpubroker.adapter.spi.Flavor(place.model(), perNode),
                place.parts().size(),
                candidate.model().memoryGb(),
                Acquisition.POOL,
                Certainty.GUARANTEED,
                window,
                window.end(),
                List.of(new Plan.Action("start", window.start()), new Plan.Action("end", window.end())),
                LeadTime.none(),
                Plan.StockView.KNOWN,
                quoter.ownCapacity(place.gpus(), window.length()),
                candidate.standIn(),
                "it is booked in the broker's own ledger; an outage of the node is told at once",
                "在自有账本中预订；节点故障会立即通知",
                false,
                false,
                false,
                null);
    }

    /**
     * A stand-in comes in the order in which the request or the catalogue ranks it: the cheapest is often the slowest.
     */
    private static int place(Plan plan, PlanningInput input) {
        List<String> order = input.candidates().stream()
                .map(candidate -> candidate.model().id())
                .toList();
        return plan.isExact() ? 0 : order.indexOf(plan.flavor().model());
    }

    /** Exact before substitute, guaranteed before best effort, known before unknown stock, lower total, platform id. */
    private List<Plan> ranked(List<Plan> plans, PlanningInput input) {
        Comparator<Plan> order = Comparator.comparing((Plan plan) -> plan.needsPick())
                .thenComparing(plan -> !plan.isExact())
                .thenComparing(plan ->
                        plan.substitution() != null && plan.substitution().asks())
                .thenComparing(plan -> plan.certainty() != Certainty.GUARANTEED)
                .thenComparing(plan -> plan.stock().rank())
                .thenComparing(plan -> place(plan, input))
                .thenComparing(plan -> plan.stretch() == null)
                .thenComparing(Planner::slowdown)
                .thenComparing(plan -> comparable(plan))
                .thenComparing(Plan::platform)
                .thenComparing(Plan::account)
                .thenComparing(Plan::sku)
                .thenComparing(Plan::region)
                .thenComparing(plan -> plan.zone() == null ? "" : plan.zone());
        return plans.stream().sorted(order).toList();
    }

    /** With more GPUs the job is done sooner; of one model and number it is always the same. */
    private static BigDecimal slowdown(Plan plan) {
        return plan.substitution() == null
                ? BigDecimal.ONE
                : plan.substitution().expectedSlowdown();
    }

    private BigDecimal comparable(Plan plan) {
        return quoter.comparable(plan.costing());
    }

    /** A platform that lists a model in several regions says "not offered" once. */
    private static List<Rejection> withoutNoise(Set<Rejection> explanation) {
        Map<String, Rejection> seen = new java.util.LinkedHashMap<>();
        for (Rejection each : explanation) {
            seen.putIfAbsent(what(each), each);
        }
        return List.copyOf(seen.values());
    }
}
