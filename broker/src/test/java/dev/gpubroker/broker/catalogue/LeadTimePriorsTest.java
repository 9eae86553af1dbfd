package dev.gpubroker.broker.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeadTimePriorsTest {
    private final GpuCatalogue catalogue = GpuCatalogue.shipped();
    private final LeadTimePriors priors = LeadTimePriors.shipped();

    @Test
    void h100AndGb200WaitThreeToFourWeeks() {
        for (String id : List.of("H100-SXM5-80GB", "H100-NVL-94GB", "GB200")) {
            assertThat(priors.find(catalogue.model(id).orElseThrow())).hasValueSatisfying(prior -> {
                assertThat(prior.low()).isEqualTo(Duration.ofDays(21));
                assertThat(prior.high()).isEqualTo(Duration.ofDays(28));
                assertThat(prior.provenance().source()).isEqualTo("field report 2026-03");
            });
        }
    }

    @Test
    void everyAscend910WaitsTwoWeeks() {
        assertThat(catalogue.variants("Ascend-910"))
                .allSatisfy(model -> assertThat(priors.find(model))
                        .hasValueSatisfying(prior -> assertThat(prior.high()).isEqualTo(Duration.ofDays(14))));
    }

    @Test
    void otherModelsHaveNone() {
        assertThat(priors.find(catalogue.model("A100-SXM4-80GB").orElseThrow())).isEmpty();
        assertThat(priors.find(catalogue.model("H800-SXM5-80GB").orElseThrow())).isEmpty();
    }

    @Test
    void aReversedRangeIsRefused() {
        Provenance source = new Provenance("test", "2026-03", Provenance.Status.UNVERIFIED);

        assertThatThrownBy(() ->
                        new LeadTimePriors.Prior(List.of("A100"), Duration.ofDays(2), Duration.ofDays(1), null, source))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
