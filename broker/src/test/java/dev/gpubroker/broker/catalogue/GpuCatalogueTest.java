package dev.gpubroker.broker.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GpuCatalogueTest {
    private final GpuCatalogue catalogue = GpuCatalogue.shipped();

    @ParameterizedTest
    @CsvSource({
        "4090, RTX4090",
        "RTX4090, RTX4090",
        "RTX 4090, RTX4090",
        "rtx-4090, RTX4090",
        "GeForce RTX 4090, RTX4090",
        "NVIDIA GeForce RTX 4090, RTX4090",
        "RTX 4090 24GB, RTX4090",
        "4090D, RTX4090D",
        "RTX 4090 D, RTX4090D",
        "3090, RTX3090",
        "GeForce GTX 1080 Ti, GTX1080Ti",
        "GeForce RTX 2080 Ti, RTX2080Ti",
        "GeForce RTX 3080, RTX3080",
        "NVIDIA A100-SXM4-80GB, A100-SXM4-80GB",
        "A100 SXM4 80G, A100-SXM4-80GB",
        "A100 80GB SXM, A100-SXM4-80GB",
        "NVIDIA A100 80GB PCIe, A100-PCIE-80GB",
        "A100-PCIE-40GB, A100-PCIE-40GB",
        "Tesla V100-SXM2-32GB, V100-SXM2-32GB",
        "H100 SXM5, H100-SXM5-80GB",
        "NVIDIA H100 80GB HBM3, H100-SXM5-80GB",
        "H100 NVL, H100-NVL-94GB",
        "H100 PCIe, H100-PCIE-80GB",
        "H100 94GB, H100-NVL-94GB",
        "A6000, RTX-A6000",
        "NVIDIA RTX A6000, RTX-A6000",
        "RTX 6000 Ada, RTX-6000-Ada",
        "NVIDIA RTX 6000 Ada Generation, RTX-6000-Ada",
        "RTX PRO Server 6000, RTX-PRO-6000",
        "Tesla T4, T4",
        "L40S, L40S",
        "A10G, A10G",
        "Ascend 910B4-1, Ascend-910B4-1",
        "910B4, Ascend-910B4",
        "910B 32G, Ascend-910B4",
        "ascend-snt9, Ascend-910A",
        "snt9b23, Ascend-910C",
        "昇腾910A, Ascend-910A",
        "华为昇腾 910C, Ascend-910C",
        "海光K100, Hygon-K100",
        "Hygon DCU K100_AI, Hygon-K100-AI",
        "异构加速卡AI, Hygon-K100-AI",
        "壁仞 BR104, Biren-BR104",
        "ＲＴＸ４０９０, RTX4090",
        "GB200, GB200",
        "H20, H20",
        "4090显卡, RTX4090",
        "L20 GPUs, L20",
        "T4卡, T4",
    })
    void aSpellingNamesOneExactModel(String text, String id) {
        assertThat(catalogue.find(text)).hasValueSatisfying(match -> {
            assertThat(match.canonical()).isEqualTo(id);
            assertThat(match.isExact()).isTrue();
            assertThat(match.memoryOpen()).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-",
                "NVIDIA",
                "Tesla",
                "NVIDIA GPU",
                "Ascend",
                "华为",
                "A100-8",
                "A100-8:8",
                "A1000",
                "XA100",
                "A10 0",
                "A10-080GB",
                "4090M",
                "RTX 4090 M",
                "RTX 4090 Laptop GPU",
                "NVIDIA GeForce RTX 4090 Laptop GPU",
                "4090 Ti",
                "RTX 4090 48GB",
                "RTX 6000",
                "L40",
                "A100 60GB",
                "H100 SXM4",
                "GeForce A100",
                "Tesla 4090",
                "华为 A100",
                "NVIDIA 910B",
                "H100 or A100",
                "K10",
            })
    void whatIsNoWholeNameIsUnknown(String text) {
        assertThat(catalogue.find(text)).isEmpty();
    }

    @Test
    void aFamilyLeavesTheVariantOpen() {
        Match match = catalogue.find("a100").orElseThrow();

        assertThat(match.canonical()).isEqualTo("A100");
        assertThat(ids(match))
                .containsExactlyInAnyOrder("A100-SXM4-80GB", "A100-SXM4-40GB", "A100-PCIE-80GB", "A100-PCIE-40GB");
        assertThat(match.memorySizes()).containsExactly(40, 80);
        assertThat(match.memoryOpen()).isTrue();
        assertThat(match.askMemory())
                .as("both sizes are offered without a question")
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"A100 80GB", "A100-80G", "a100-80gb", "A100 (80GB)", "NVIDIA A100 80GB"})
    void aSizeNarrowsAFamily(String text) {
        Match match = catalogue.find(text).orElseThrow();

        assertThat(match.canonical()).isEqualTo("A100");
        assertThat(match.memoryGb()).isEqualTo(80);
        assertThat(ids(match)).containsExactlyInAnyOrder("A100-SXM4-80GB", "A100-PCIE-80GB");
    }

    @Test
    void aFormFactorNarrowsAFamily() {
        Match match = catalogue.find("A100 SXM").orElseThrow();

        assertThat(match.canonical()).isEqualTo("A100");
        assertThat(match.formFactor()).isEqualTo("sxm");
        assertThat(ids(match)).containsExactlyInAnyOrder("A100-SXM4-80GB", "A100-SXM4-40GB");
    }

    @Test
    void h100AloneMayBeAnyForm() {
        assertThat(catalogue.find("H100").orElseThrow().variants())
                .extracting(GpuModel::formFactor)
                .containsExactlyInAnyOrder("sxm", "pcie", "nvl");
    }

    @ParameterizedTest
    @ValueSource(strings = {"910B", "Ascend 910B", "昇腾910B", "升腾910B", "Ascend-910B", "snt9b"})
    void the910bHasTwoSizesWorthAQuestion(String text) {
        Match match = catalogue.find(text).orElseThrow();

        assertThat(match.canonical()).isEqualTo("Ascend-910B");
        assertThat(match.memorySizes()).containsExactly(32, 64);
        assertThat(match.askMemory()).isTrue();
    }

    @Test
    void ascend910WithoutALetterMayBeAnyOfThem() {
        Match match = catalogue.find("Ascend 910").orElseThrow();

        assertThat(match.canonical()).isEqualTo("Ascend-910");
        assertThat(match.variants()).extracting(GpuModel::family).contains("Ascend-910A", "Ascend-910B", "Ascend-910C");
        assertThat(match.askMemory()).isTrue();
        assertThat(catalogue.find("910")).as("a bare number is no name").isEmpty();
    }

    @Test
    void variantsTakesWhatAMatchGives() {
        assertThat(catalogue.variants("A100")).hasSize(4);
        assertThat(catalogue.variants("A100-SXM4-80GB"))
                .extracting(GpuModel::id)
                .containsExactly("A100-SXM4-80GB");
        assertThat(catalogue.variants("Ascend-910")).hasSizeGreaterThan(5);
        assertThat(catalogue.variants("a100")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "A100, 79, 80",
        "A100, 81, 80",
        "A100, 41, 40",
        "A100-SXM4-80GB, 80, 80",
        "H200, 141, 141",
        "H200, 144, 141",
        "A10G, 22, 24",
        "L40S, 44, 48",
        "T4, 15, 16",
    })
    void aSizeNearANominalOneIsThatOne(String canonical, int reported, int nominal) {
        assertThat(catalogue.nominalMemoryGb(canonical, reported)).isEqualTo(OptionalInt.of(nominal));
    }

    @ParameterizedTest
    @CsvSource({"A100-SXM4-80GB, 40", "A100, 60", "H200, 150", "RTX4090, 48", "NoSuchModel, 80"})
    void aSizeFarFromAnyNominalOneIsAMismatch(String canonical, int reported) {
        assertThat(catalogue.nominalMemoryGb(canonical, reported)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "V100, 32768, 32",
        "A100, 40960, 40",
        "A100, 81920, 80",
        "H200, 144384, 141",
        "B200, 183359, 180",
        "B300, 275040, 288",
        "A10G, 22888, 24",
        "L40S, 45776, 48",
        "Ascend-310P, 24576, 24",
        "Hygon-Z100, 16368, 16",
    })
    void whatPlatformsReportInMibIsRecognised(String canonical, long mib, int nominal) {
        assertThat(catalogue.nominalMemoryOfMib(canonical, mib)).isEqualTo(OptionalInt.of(nominal));
    }

    @Test
    void aMistakenNameGetsSuggestions() {
        assertThat(catalogue.suggest("A100-8:8")).contains("A100", "A100-SXM4-80GB");
        assertThat(catalogue.suggest("4090M")).contains("RTX4090", "RTX4090D");
        assertThat(catalogue.suggest("H10")).contains("H100");
        assertThat(catalogue.suggest("RTX 6000")).contains("RTX-6000-Ada");
        assertThat(catalogue.suggest("a completely different thing")).isEmpty();
        assertThat(catalogue.suggest("x".repeat(1000))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // aliyun
                "A100-SXM4-80GB",
                "A100-SXM4-40GB",
                "A10",
                "V100-SXM2-32GB",
                "V100-SXM2-16GB",
                "T4",
                "L20",
                "H20",
                "P100",
                "P4",
                // aws
                "H100-SXM5-80GB",
                "H200-SXM-141GB",
                "B200",
                "B300",
                "A10G",
                "L4",
                "L40S",
                "RTX-PRO-6000",
                "Trainium",
                "Trainium2",
                // zhixingyun
                "A800-SXM4-40GB",
                "RTX4090",
                "RTX3080",
                "RTX2080Ti",
                "GTX1080Ti",
                // huawei
                "Ascend-910A",
                "Ascend-910B1",
                "Ascend-910B2",
                "Ascend-910B3",
                "Ascend-910B4",
                "Ascend-910B4-1",
                "Ascend-910C",
                "Ascend-310",
                "Ascend-310P",
                // the rest of the list
                "H800-SXM5-80GB",
                "A800-SXM4-80GB",
                "RTX3090",
                "RTX4090D",
                "GB200",
                "Hygon-K100",
                "Biren-BR104",
            })
    void whatPlatformsSellIsListed(String id) {
        assertThat(catalogue.model(id)).isPresent();
    }

    @Test
    void everyComputeFigureNamesItsTerms() {
        assertThat(catalogue.models())
                .allSatisfy(model -> assertThat(model.compute()).allSatisfy(figure -> {
                    assertThat(figure.precision()).isIn("bf16", "fp16", "fp32", "unstated");
                    assertThat(figure.how()).isNotBlank();
                    assertThat(figure.provenance().source()).isNotBlank();
                }));
        assertThat(catalogue.model("RTX4090").orElseThrow().compute())
                .as("the platforms' 132 stands beside the data sheet's figures and is not compared with them")
                .anySatisfy(figure -> {
                    assertThat(figure.tflops()).isEqualByComparingTo("132");
                    assertThat(figure.isDenseHalf()).isFalse();
                    assertThat(figure.provenance().status()).isEqualTo(Provenance.Status.FIELD_REPORT);
                });
        assertThat(catalogue.model("RTX4090").orElseThrow().denseHalfTflops())
                .hasValueSatisfying(t -> assertThat(t).isEqualByComparingTo("165.2"));
    }

    @Test
    void oneNameForTwoModelsIsRefusedWhenLoaded() {
        GpuModel one = new GpuModel("One", "One", "nvidia", 8, "pcie", List.of("twin"));
        GpuModel two = new GpuModel("Two", "Two", "nvidia", 8, "pcie", List.of("TWIN"));

        assertThatThrownBy(() -> GpuCatalogue.of(List.of(one, two)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("One")
                .hasMessageContaining("Two");
    }

    private static List<String> ids(Match match) {
        return match.variants().stream().map(GpuModel::id).toList();
    }
}
