package dev.gpubroker.adapter.huawei;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.gpubroker.adapter.huawei.HuaweiWords.Sale;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HuaweiWordsTest {
    @ParameterizedTest
    @CsvSource({
        "normal, SELLS",
        "promotion, SELLS",
        "'', SELLS",
        "sellout, SOLD_OUT",
        "soldout, SOLD_OUT",
        "abandon, OFFLINE",
        "obt, ON_APPLICATION",
        "paused, UNKNOWN"
    })
    void aWordOfStockMeansWhatTheReferenceSays(String word, Sale sale) {
        assertThat(HuaweiWords.sale(word)).isEqualTo(sale);
    }

    @Test
    void zonesAreReadWithTheirWords() {
        assertThat(HuaweiWords.zones("cn-north-4a(sellout),cn-north-4b(normal), cn-north-4c(obt)"))
                .containsExactly(
                        entry("cn-north-4a", Sale.SOLD_OUT),
                        entry("cn-north-4b", Sale.SELLS),
                        entry("cn-north-4c", Sale.ON_APPLICATION));
        assertThat(HuaweiWords.zones(null)).isEmpty();
    }

    @Test
    void aServerThatBuildsIsPromisedUntilItsJobHasSucceeded() {
        assertThat(HuaweiWords.server("BUILD", null, false)).isEqualTo(Phase.PENDING);
        assertThat(HuaweiWords.server("BUILD", null, true)).isEqualTo(Phase.STARTING);
        assertThat(HuaweiWords.server("ACTIVE", "deleting", true)).isEqualTo(Phase.ENDING);
    }

    @Test
    void anUnknownStateIsNotGuessed() {
        assertThat(HuaweiWords.server("MIGRATING", null, true)).isEqualTo(Phase.UNKNOWN);
        assertThat(HuaweiWords.pool("Abnormal")).isEqualTo(Phase.UNKNOWN);
        assertThat(HuaweiWords.pool("Hibernating")).isEqualTo(Phase.UNKNOWN);
    }

    @Test
    void aClaimIsAsFarAsItsLeastAdvancedMachine() {
        assertThat(HuaweiWords.together(List.of(Phase.RUNNING, Phase.STARTING))).isEqualTo(Phase.STARTING);
        assertThat(HuaweiWords.together(List.of(Phase.RUNNING, Phase.FAILED))).isEqualTo(Phase.FAILED);
        assertThat(HuaweiWords.together(List.of(Phase.RUNNING, Phase.GONE))).isEqualTo(Phase.ENDING);
        assertThat(HuaweiWords.together(List.of(Phase.GONE, Phase.GONE))).isEqualTo(Phase.GONE);
        assertThat(HuaweiWords.together(List.of(Phase.RUNNING))).isEqualTo(Phase.RUNNING);
        assertThat(HuaweiWords.together(List.of())).isEqualTo(Phase.UNKNOWN);
    }
}
