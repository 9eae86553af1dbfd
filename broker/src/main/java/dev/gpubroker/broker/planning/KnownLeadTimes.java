package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.LeadTimePriors;
import dev.gpubroker.broker.inventory.StockHistory;
import dev.gpubroker.broker.inventory.Wait;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits, best source first: our stock history, then the shipped prior. The platform's own answer, which goes before both, is in
 * the snapshot. Asked only for flavors that the platform lists, since what is not sold has no lead time.
 */
public final class KnownLeadTimes implements PlanDesk.LeadTimeSource {
    /** Fewer waits than this say too little of the next one. */
    private static final int ENOUGH = 5;

    private static final Logger LOG = LoggerFactory.getLogger(KnownLeadTimes.class);

    private final StockHistory history;
    private final GpuCatalogue catalogue;
    private final LeadTimePriors priors;

    public KnownLeadTimes(StockHistory history, GpuCatalogue catalogue, LeadTimePriors priors) {
        this.history = history;
        this.catalogue = catalogue;
        this.priors = priors;
    }

    /** Never fails: a history that cannot be read leaves the priors. */
    @Override
    public Future<LeadTimes> read(Set<String> models) {
        return history.waits()
                .map(waits -> (LeadTimes) (account, region, flavor) -> waits.of(account, region, flavor)
                        .filter(wait -> wait.observations() >= ENOUGH)
                        .map(KnownLeadTimes::fromHistory)
                        .or(() -> prior(flavor)))
                .recover(fault -> {
                    LOG.warn("the history of stock cannot be read: {}", fault.toString());
                    return Future.succeededFuture((account, region, flavor) -> prior(flavor));
                });
    }

    private static LeadTime fromHistory(Wait wait) {
        return new LeadTime(
                wait.p50(),
                wait.p90(),
                LeadTime.Source.HISTORY,
                wait.observations(),
                "waits that this broker has seen end within the last 180 days");
    }

    private Optional<LeadTime> prior(Flavor flavor) {
        return catalogue.model(flavor.model()).flatMap(priors::find).map(prior -> {
            String written =
                    prior.provenance().source() + ", " + prior.provenance().date();
            String note = prior.note() == null ? written : prior.note() + " (" + written + ")";
            return new LeadTime(prior.low(), prior.high(), LeadTime.Source.PRIOR, null, note);
        });
    }
}
