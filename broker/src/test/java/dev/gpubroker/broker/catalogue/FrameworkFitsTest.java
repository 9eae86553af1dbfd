package dev.gpubroker.broker.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.catalogue.FrameworkFits.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameworkFitsTest {
    private final GpuCatalogue catalogue = GpuCatalogue.shipped();
    private final FrameworkFits fits = FrameworkFits.shipped();

    @Test
    void pytorchRunsOnAscendThroughItsPlugin() {
        assertThat(fits.find("pytorch", model("Ascend-910B3"))).hasValueSatisfying(fit -> {
            assertThat(fit.via()).isEqualTo("torch_npu");
            assertThat(fit.level()).isEqualTo(Level.PORTED);
        });
        assertThat(fits.find("pytorch", model("Ascend-910A")))
                .as("not of the listed products")
                .isEmpty();
    }

    @Test
    void cudaRunsOnNvidiaOnly() {
        assertThat(fits.find("CUDA", model("RTX4090")))
                .hasValueSatisfying(fit -> assertThat(fit.level()).isEqualTo(Level.NATIVE));
        assertThat(fits.find("cuda", model("Ascend-910B3"))).isEmpty();
        assertThat(fits.find("cuda", model("Hygon-K100-AI"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pytorch",
                "PyTorch",
                "torch",
                "pytorch 2.4",
                "torch==2.4.1",
                "pytorch:2.3-cuda12",
                "PyTorch2.4.1",
                "pytorch>=2"
            })
    void spellingsAndVersionsDoNotMatter(String framework) {
        assertThat(fits.find(framework, model("A100-SXM4-80GB")))
                .hasValueSatisfying(fit -> assertThat(fit.framework()).isEqualTo("pytorch"));
    }

    @Test
    void everyFamilyNamedExists() {
        assertThat(fits.all())
                .allSatisfy(fit -> assertThat(fit.families())
                        .allSatisfy(family -> assertThat(catalogue.variants(family))
                                .as(family)
                                .isNotEmpty()));
    }

    private GpuModel model(String id) {
        return catalogue.model(id).orElseThrow();
    }
}
