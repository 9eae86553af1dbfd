package dev.gpubroker.broker.substitution;

import dev.gpubroker.broker.catalogue.FrameworkFits;
import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.catalogue.Provenance;
import dev.gpubroker.broker.catalogue.SubstitutionFacts;
import dev.gpubroker.broker.catalogue.SubstitutionFacts.Basis;
import dev.gpubroker.broker.catalogue.SubstitutionFacts.Fact;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * How much longer a run takes on another model: a fact where there is one, else an estimate from peak figures. The cautious
 * answer counts: of several asked variants, the fastest is what the stand-in is compared with.
 */
final class Slowdown {
    private final SubstitutionFacts facts;
    private final FrameworkFits fits;

    Slowdown(SubstitutionFacts facts, FrameworkFits fits) {
        this.facts = facts;
        this.fits = fits;
    }

    /** Empty if there is neither a fact nor a pair of figures that can be compared. */
    Optional<Fact> of(List<GpuModel> asked, GpuModel standIn) {
        Optional<Fact> known = asked.stream()
                .map(model -> facts.find(model, standIn))
                .flatMap(Optional::stream)
                .max(Comparator.comparing(Fact::expectedSlowdown));
        return known.isPresent()
                ? known
                : asked.stream()
                        .map(model -> estimate(model, standIn))
                        .flatMap(Optional::stream)
                        .max(Comparator.comparing(Fact::expectedSlowdown));
    }

    /** Dense half precision peaks divided, times the usual shares of the peak between vendors; up to a hundredth, at least 1. */
    private Optional<Fact> estimate(GpuModel asked, GpuModel standIn) {
        Optional<BigDecimal> from = usable(asked, standIn);
        Optional<BigDecimal> to = usable(standIn, asked);
        if (from.isEmpty() || to.isEmpty()) {
            return Optional.empty();
        }
        BigDecimal ratio = from.get().divide(to.get(), 2, RoundingMode.CEILING).max(new BigDecimal("1.00"));
        Provenance provenance = new Provenance(
                "dense half precision peaks of " + asked.id() + " and " + standIn.id(),
                standIn.provenance().date(),
                Provenance.Status.UNVERIFIED);
        return Optional.of(new Fact(asked.id(), standIn.id(), ratio, Basis.ESTIMATED, provenance, null, null));
    }

    private Optional<BigDecimal> usable(GpuModel model, GpuModel other) {
        if (model.vendor().equals(other.vendor())) {
            return model.denseHalfTflops();
        }
        return model.denseHalfTflops()
                .flatMap(peak -> fits.utilisation(model.vendor()).map(peak::multiply));
    }
}
