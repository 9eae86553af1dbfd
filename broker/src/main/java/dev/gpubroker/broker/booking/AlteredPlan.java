package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.quote.Costing;
import dev.gpubroker.broker.quote.QuoteLine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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

    /** The same of another window and offer: what is ordered beside it. */
    static Plan during(Plan plan, Window window, Offer offer) {
        return copy(plan, plan.sku(), plan.flavor(), plan.nodes(), window, window.end(), plan.costing(), offer);
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
