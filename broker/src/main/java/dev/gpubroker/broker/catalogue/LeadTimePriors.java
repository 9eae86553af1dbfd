package dev.gpubroker.broker.catalogue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How long models are waited for where nothing better is known: the last source of a lead time, after the platform's answer,
 * our stock history and the operator's setting.
 *
 * <p>Facts: {@code catalogue/lead-times.yaml}, from the field report of March 2026.
 */
public final class LeadTimePriors {
    private final List<Prior> priors;

    private LeadTimePriors(List<Prior> priors) {
        this.priors = List.copyOf(priors);
    }

    /**
     * How long models of some families are waited for.
     *
     * @param families whose models wait so long
     * @param low shortest usual wait
     * @param high longest usual wait; plans compare this one
     */
    public record Prior(
            List<String> families,
            Duration low,
            Duration high,
            @Nullable String note,
            Provenance provenance) {
        public Prior {
            families = List.copyOf(families);
            if (low.isNegative() || low.compareTo(high) > 0) {
                throw new IllegalArgumentException("reversed lead time: " + low + " to " + high);
            }
        }
    }

    public static LeadTimePriors shipped() {
        return of(DataFile.read("lead-times.yaml", File.class).leadTimes());
    }

    public static LeadTimePriors of(List<Prior> priors) {
        return new LeadTimePriors(priors);
    }

    /**
     * The prior of a model, or empty. Ask only for a model that the platform lists: what a platform does not sell has no lead
     * time there, however long the market waits for it.
     */
    public Optional<Prior> find(GpuModel model) {
        return priors.stream()
                .filter(prior -> prior.families().contains(model.family()))
                .findFirst();
    }

    private record File(List<Prior> leadTimes) {}
}
