package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.quote.Costing;
import dev.gpubroker.broker.quote.QuoteLine;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A plan as it stands after its owner changed what it covers. Pure. */
final class AlteredPlan {
    private AlteredPlan() {}

    /** Own machines: where it is now, and when. */
    static Plan placed(Plan plan, List<Place> places, Window window, Costing costing) {
        Place place = places.get(0);
        int nodes =
                (int) place.parts().stream().map(Place.Part::nodeId).distinct().count();
        Flavor flavor = new Flavor(place.model(), place.gpus() / nodes);
        return copy(plan, place.poolName(), flavor, nodes, window, window.end(), costing);
    }

    /** Bought machines that end at another instant. */
    static Plan ending(Plan plan, Instant end, Costing costing) {
        Window window = new Window(plan.window().start(), end);
        return copy(plan, plan.sku(), plan.flavor(), plan.nodes(), window, end, costing);
    }

    static Plan withNodes(Plan plan, int nodes, Costing costing) {
        return copy(plan, plan.sku(), plan.flavor(), nodes, plan.window(), plan.usableEnd(), costing);
    }

    /** So many of its machines: each line is for that share of them. */
    static Plan part(Plan plan, int nodes) {
        Costing whole = plan.costing();
        List<QuoteLine> lines = whole.lines().stream()
                .map(line -> part(line, nodes, plan.nodes()))
                .toList();
        Costing part =
                new Costing(whole.billing(), whole.currency(), lines, sum(lines), whole.from(), whole.refundTerms());
        return withNodes(plan, nodes, part);
    }

    private static QuoteLine part(QuoteLine line, int nodes, int all) {
        Money amount = line.amount();
        BigDecimal price = line.unitPrice();
        if (amount == null || price == null) {
            return line;
        }
        BigDecimal quantity = line.quantity()
                .multiply(BigDecimal.valueOf(nodes))
                .divide(BigDecimal.valueOf(all), 6, RoundingMode.HALF_EVEN);
        return new QuoteLine(
                line.kind(),
                line.description(),
                line.unit(),
                quantity,
                price,
                Money.rounded(quantity.multiply(price), amount.currency()));
    }

    private static @Nullable Money sum(List<QuoteLine> lines) {
        return lines.stream()
                .map(QuoteLine::amount)
                .filter(Objects::nonNull)
                .reduce(Money::plus)
                .orElse(null);
    }

    /** The same of another window and offer: what is ordered beside it. */
    static Plan during(Plan plan, Window window, Offer offer) {
        return copy(plan, plan.sku(), plan.flavor(), plan.nodes(), window, window.end(), plan.costing(), offer);
    }

    /**
     * Without machine-hours that will not be used: each kind of line that is paid by the hour loses them, what was added last
     * first. Lines that are not paid by the hour stay.
     */
    static Costing less(Plan plan, BigDecimal machineHours) {
        Costing costing = plan.costing();
        List<QuoteLine> left = new ArrayList<>();
        Map<LineKind, BigDecimal> toCut = new EnumMap<>(LineKind.class);
        for (int i = costing.lines().size() - 1; i >= 0; i--) {
            QuoteLine line = costing.lines().get(i);
            Money amount = line.amount();
            BigDecimal price = line.unitPrice();
            if (amount == null || price == null || !line.unit().endsWith("hour")) {
                left.add(0, line);
                continue;
            }
            BigDecimal each = perMachineHour(plan, line);
            BigDecimal hours = toCut.getOrDefault(line.kind(), machineHours);
            BigDecimal cut = line.quantity().min(hours.multiply(each));
            toCut.put(line.kind(), hours.subtract(cut.divide(each, 6, RoundingMode.HALF_EVEN)));
            BigDecimal quantity = line.quantity().subtract(cut);
            if (quantity.signum() > 0) {
                Money rest = Money.rounded(quantity.multiply(price), amount.currency());
                left.add(0, new QuoteLine(line.kind(), line.description(), line.unit(), quantity, price, rest));
            }
        }
        return new Costing(
                costing.billing(), costing.currency(), left, sum(left), costing.from(), costing.refundTerms());
    }

    /** Some platforms count GPUs and not machines. */
    private static BigDecimal perMachineHour(Plan plan, QuoteLine line) {
        return line.unit().startsWith("GPU") ? BigDecimal.valueOf(plan.flavor().gpusPerNode()) : BigDecimal.ONE;
    }

    /** Both together, the added lines after the others; a currency of its own keeps them apart. */
    static Costing plus(Costing costing, @Nullable Costing added) {
        if (added == null || !costing.currency().equals(added.currency())) {
            return costing;
        }
        List<QuoteLine> lines = new ArrayList<>(costing.lines());
        lines.addAll(added.lines());
        Money total = costing.total();
        Money more = added.total();
        return new Costing(
                costing.billing(),
                costing.currency(),
                lines,
                total == null ? more : more == null ? total : total.plus(more),
                costing.from() || added.from(),
                costing.refundTerms());
    }

    private static Plan copy(
            Plan plan, String sku, Flavor flavor, int nodes, Window window, Instant usableEnd, Costing costing) {
        return copy(plan, sku, flavor, nodes, window, usableEnd, costing, plan.offer());
    }

    private static Plan copy(
            Plan plan,
            String sku,
            Flavor flavor,
            int nodes,
            Window window,
            Instant usableEnd,
            Costing costing,
            @Nullable Offer offer) {
        List<Plan.Action> actions = plan.actions().stream()
                .map(action -> action.what().equals("end")
                        ? new Plan.Action("end", usableEnd)
                        : action.what().equals("start") && plan.offer() == null
                                ? new Plan.Action("start", window.start())
                                : action)
                .toList();
        return new Plan(
                plan.platform(),
                plan.account(),
                plan.region(),
                plan.zone(),
                sku,
                flavor,
                nodes,
                plan.memoryGb(),
                plan.acquisition(),
                plan.certainty(),
                window,
                usableEnd,
                actions,
                plan.leadTime(),
                plan.stock(),
                costing,
                plan.substitution(),
                plan.ifItFails(),
                plan.ifItFailsZh(),
                plan.endsOnlyWhileBrokerRuns(),
                plan.needsPick(),
                plan.simulated(),
                offer);
    }
}
