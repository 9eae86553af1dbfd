package dev.gpubroker.broker.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.catalogue.SubstitutionFacts.Basis;
import dev.gpubroker.broker.catalogue.SubstitutionFacts.Fact;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SubstitutionFactsTest {
    private final GpuCatalogue catalogue = GpuCatalogue.shipped();
    private final FrameworkFits fits = FrameworkFits.shipped();
    private final SubstitutionFacts facts = SubstitutionFacts.shipped();

    @Test
    void everyEstimateFollowsFromTheCatalogue() {
        assertThat(facts.all())
                .filteredOn(fact -> fact.basis() == Basis.ESTIMATED)
                .allSatisfy(fact -> {
                    GpuModel to = catalogue.model(fact.to()).orElseThrow();
                    assertThat(catalogue.variants(fact.from()))
                            .isNotEmpty()
                            .allSatisfy(from -> assertThat(fact.expectedSlowdown())
                                    .as(fact.from() + " to " + fact.to())
                                    .isEqualTo(derived(from, to)));
                });
    }

    @Test
    void noPairIsListedTwice() {
        Set<String> pairs = new HashSet<>();
        assertThat(facts.all()).allMatch(fact -> pairs.add(fact.from() + " " + fact.to()));
    }

    @Test
    void theMissionsStandInIsListedWithItsSource() {
        Fact fact = facts.find(model("A100-SXM4-80GB"), model("RTX4090")).orElseThrow();

        assertThat(fact.expectedSlowdown()).isEqualByComparingTo("1.89");
        assertThat(fact.basis()).isEqualTo(Basis.ESTIMATED);
        assertThat(fact.note()).contains("field report").contains("1.5 to 2 h");
        assertThat(fact.noteZh()).isNotBlank();
    }

    @Test
    void aFactAboutTheExactModelGoesFirst() {
        Provenance source = new Provenance("test", "2026-11", Provenance.Status.UNVERIFIED);
        Fact family = new Fact("A100", "T4", new BigDecimal("4.80"), Basis.ESTIMATED, source, null, null);
        Fact exact = new Fact("A100-SXM4-80GB", "T4", new BigDecimal("5.10"), Basis.MEASURED, source, null, null);
        SubstitutionFacts two = SubstitutionFacts.of(List.of(family, exact));

        assertThat(two.find(model("A100-SXM4-80GB"), model("T4"))).contains(exact);
        assertThat(two.find(model("A100-PCIE-40GB"), model("T4"))).contains(family);
    }

    @Test
    void noStandInIsPromisedToBeFaster() {
        Provenance source = new Provenance("test", "2026-11", Provenance.Status.UNVERIFIED);

        assertThatThrownBy(() -> new Fact("A100", "H100", new BigDecimal("0.32"), Basis.ESTIMATED, source, null, null))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private BigDecimal derived(GpuModel from, GpuModel to) {
        BigDecimal asked = from.denseHalfTflops().orElseThrow();
        BigDecimal given = to.denseHalfTflops().orElseThrow();
        if (!from.vendor().equals(to.vendor())) {
            asked = asked.multiply(fits.utilisation(from.vendor()).orElseThrow());
            given = given.multiply(fits.utilisation(to.vendor()).orElseThrow());
        }
        return asked.divide(given, 2, RoundingMode.CEILING).max(new BigDecimal("1.00"));
    }

    private GpuModel model(String id) {
        return catalogue.model(id).orElseThrow();
    }
}
