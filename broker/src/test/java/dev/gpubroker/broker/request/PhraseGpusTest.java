package dev.gpubroker.broker.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.request.BookingRequest.Gpu;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PhraseGpusTest {
    private final Phrases usual = Phrases.usual();

    private Gpu gpu(String words) {
        return usual.sure(words + " from Dec 20 for 5 days").gpu();
    }

    private List<Gpu> asked(String words) {
        Interpretation read = usual.read(words + " from Dec 20 for 5 days");
        assertThat(read.needsConfirmation()).as(words).isTrue();
        return read.readings().stream().map(reading -> reading.request().gpu()).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8×A100",
                "8x A100",
                "8xA100",
                "8X A100",
                "8 x A100",
                "8 * A100",
                "8*A100",
                "8 A100",
                "8 A100s",
                "8 A100 GPUs",
                "8 GPUs of A100",
                "eight A100s",
                "8卡A100",
                "8张A100",
                "8块A100",
                "8个A100",
                "8 张 A100 显卡",
                "A100 8卡",
                "A100*8",
                "A100×8",
                "A100 x8",
                "A100 x 8",
                "A100:8",
                "八卡A100",
                "八张A100",
                "８卡Ａ１００",
                "8-GPU A100",
                "a100 8张卡",
                "8×A100,"
            })
    void eightA100(String words) {
        assertThat(gpu(words)).isEqualTo(new Gpu("A100", 8, null, null, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "两台8卡A100",
                "2台8卡A100",
                "2台8×A100",
                "2x8xA100",
                "2×8×A100",
                "2 x 8 x A100",
                "2 nodes of 8 A100",
                "2 nodes with 8 A100 each",
                "two nodes of eight A100s",
                "2台8卡A100服务器",
                "2个节点8卡A100",
                "A100 2台8卡"
            })
    void twoNodesOfEight(String words) {
        assertThat(gpu(words)).isEqualTo(new Gpu("A100", 16, 2, null, null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"俩卡A100", "俩A100", "俩张A100卡"})
    void twoMayBeSaidWithItsMeasureWord(String words) {
        assertThat(usual.sure(words + " from Dec 20 for 5 days").gpu().count()).isEqualTo(2);
    }

    @Test
    void sixteenLeaveTheirNodesOpen() {
        assertThat(gpu("16×A100")).isEqualTo(new Gpu("A100", 16, null, null, null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"8×A100 on 2 nodes", "8卡A100分2台", "8卡A100 在2个节点上", "8×A100 across 2 nodes"})
    void aTotalMayBeSpreadOverNodes(String words) {
        assertThat(gpu(words)).isEqualTo(new Gpu("A100", 8, 2, null, null));
    }

    @Test
    void nodesNamedAfterTheCountAskWhetherItIsPerNode() {
        assertThat(asked("8卡A100 2台"))
                .containsExactly(new Gpu("A100", 16, 2, null, null), new Gpu("A100", 8, 2, null, null));
        assertThat(asked("2机16卡A100"))
                .containsExactly(new Gpu("A100", 32, 2, null, null), new Gpu("A100", 16, 2, null, null));
    }

    @Test
    void oneNodeOfUpToEightIsTheSameAsNoNodes() {
        assertThat(gpu("8×A100 on one node")).isEqualTo(gpu("8×A100"));
        assertThat(gpu("一台8卡A100")).isEqualTo(gpu("8×A100"));
    }

    @Test
    void nodesMustDivideTheCount() {
        assertThat(usual.refused("8×A100 on 3 nodes from Dec 20 for 5 days")).isEqualTo("shape_impossible gpu.nodes");
    }

    @Test
    void aCountAndModelMixedUpIsNamedAndNeverAnA100() {
        RequestProblem problem = usual.problem("A100-8:8 from Dec 20 for 5 days");

        assertThat(problem.code()).isEqualTo("not_understood");
        assertThat(problem.detail()).contains("“A100-8:8” at character 1 is not understood");
        assertThat(problem.extra().get("suggestions"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .contains("A100");
    }

    @Test
    void a910BHasTwoMemoriesAndAsksWhich() {
        assertThat(asked("2×910B"))
                .containsExactly(new Gpu("Ascend-910B", 2, null, 32, null), new Gpu("Ascend-910B", 2, null, 64, null));
        assertThat(usual.read("2×910B from Dec 20 for 5 days").readings().get(1).why())
                .contains("Ascend-910B2 64 GB")
                .doesNotContain("Ascend-910B4 32 GB");
        assertThat(gpu("2×910B 64GB")).isEqualTo(new Gpu("Ascend-910B", 2, null, 64, null));
        assertThat(gpu("2×910B4")).isEqualTo(new Gpu("Ascend-910B4", 2, null, null, null));
        assertThat(gpu("2卡昇腾910B 32G显存")).isEqualTo(new Gpu("Ascend-910B", 2, null, 32, null));
    }

    @ParameterizedTest
    @CsvSource({
        "4090, RTX4090",
        "RTX4090, RTX4090",
        "RTX 4090, RTX4090",
        "rtx-4090, RTX4090",
        "GeForce RTX 4090, RTX4090",
        "RTX 4090 D, RTX4090D",
        "RTX 4090D, RTX4090D",
        "4090D, RTX4090D",
        "4090 d, RTX4090D",
        "H20, H20",
        "T4, T4",
        "V100, V100",
        "A10, A10",
        "A100-SXM4-80GB, A100-SXM4-80GB"
    })
    void theLongestNameWins(String name, String model) {
        assertThat(gpu("8×" + name).model()).isEqualTo(model);
        assertThat(gpu("8卡" + name).model()).isEqualTo(model);
        assertThat(gpu(name + " 8卡").model()).isEqualTo(model);
        assertThat(gpu("8x" + name).model()).isEqualTo(model);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4090M", "RTX4090Mobile", "A1000", "A100X", "XA100", "H2000", "B300"})
    void aNameThatOnlyBeginsLikeAModelIsNone(String name) {
        assertThat(usual.refused("8×" + name + " from Dec 20 for 5 days")).isEqualTo("not_understood phrase");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0×A100",
                "-1×A100",
                "1.5×A100",
                ".5×A100",
                "0卡A100",
                "八点五卡A100",
                "A100 零卡",
                "2000×A100",
                "99999999999×A100",
                "A100×0"
            })
    void aCountThatIsNoneIsRefused(String words) {
        RequestProblem problem = usual.problem(words + " from Dec 20 for 5 days");

        assertThat(problem.status()).isEqualTo(400);
        assertThat(problem.errors()).extracting(FieldError::field).containsExactly("gpu.count");
    }

    @Test
    void memoryAndFormFactorAreRead() {
        assertThat(gpu("8×A100 80GB")).isEqualTo(new Gpu("A100", 8, null, 80, null));
        assertThat(gpu("8卡A100 80G显存")).isEqualTo(new Gpu("A100", 8, null, 80, null));
        assertThat(gpu("8×A100-80GB")).isEqualTo(new Gpu("A100", 8, null, 80, null));
        assertThat(gpu("8×A100 SXM 80GB")).isEqualTo(new Gpu("A100", 8, null, 80, "sxm"));
        assertThat(gpu("8×A100-SXM-80G")).isEqualTo(new Gpu("A100", 8, null, 80, "sxm"));
        assertThat(gpu("8×H100 PCIe")).isEqualTo(new Gpu("H100", 8, null, null, "pcie"));
        assertThat(gpu("8×H100 NVL")).isEqualTo(new Gpu("H100", 8, null, null, "nvl"));
    }

    @Test
    void twoModelsAreOneTooMany() {
        assertThat(usual.refused("8×A100 4×H100 from Dec 20 for 5 days")).isEqualTo("invalid_request gpu.model");
    }

    @Test
    void unknownWordsAreAllNamedWithWhatMayBeMeant() {
        RequestProblem problem = usual.problem("8×A100 from tommorow for 5 days blorp");

        assertThat(problem.code()).isEqualTo("not_understood");
        assertThat(problem.errors()).hasSize(2);
        assertThat(problem.extra().get("tokens"))
                .isEqualTo(List.of(
                        Map.of("text", "tommorow", "position", 12, "suggestions", List.of("tomorrow")),
                        Map.of("text", "blorp", "position", 32, "suggestions", List.of())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8卡A100 从20号开始租5天 便宜点",
                "8×A100 for 5 days from the 20th 🙂",
                "8×A100 5 5 days Dec 20",
                "from from",
                "x",
                "8×A100; DROP TABLE"
            })
    void whatMeansNothingIsNotSkipped(String phrase) {
        assertThat(usual.refused(phrase)).isEqualTo("not_understood phrase");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "   ", "，。", "please"})
    void aPhraseThatSaysNothingLacksEverything(String phrase) {
        assertThat(usual.problem(phrase).errors())
                .extracting(FieldError::field)
                .containsExactly("gpu.model", "gpu.count", "start", "duration");
    }

    @Test
    void englishAndChineseGiveTheSameBytes() {
        String english = RequestJson.withoutPhrase(usual.sure("8×A100 for 5 days from the 20th"))
                .toString();

        assertThat(RequestJson.withoutPhrase(usual.sure("8卡A100 从20号开始租5天")).toString())
                .isEqualTo(english)
                .isEqualTo("{\"gpu\":{\"model\":\"A100\",\"count\":8},\"start\":\"2026-12-20T00:00:00+08:00\","
                        + "\"end\":\"2026-12-25T00:00:00+08:00\",\"timeZone\":\"Asia/Shanghai\","
                        + "\"constraints\":{},\"substitution\":{\"mode\":\"ask\"}}");
    }
}
