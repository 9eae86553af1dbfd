package dev.gpubroker.broker.booking;

import static dev.gpubroker.broker.planning.Asked.A100;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.planning.Asked;
import dev.gpubroker.broker.planning.Plan;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which plan is bought at the start. */
final class WaitingTest {
    private static final List<Plan> BOTH = new Asked()
            .stock("zhixingyun", A100, 8, "200.00")
            .stock("aliyun", A100, 8, "277.93")
            .plan()
            .plans();

    private static Plan on(String platform) {
        return BOTH.stream()
                .filter(plan -> plan.platform().equals(platform))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatWasPlannedIsBoughtThoughAnotherAccountHasComeToBeCheaper() {
        assertThat(Waiting.kept(List.of(on("zhixingyun"), on("aliyun")), on("aliyun")))
                .contains(on("aliyun"));
    }

    @Test
    void whereItIsNotToBeHadAnyMoreTheBestOfTheOthersIs() {
        assertThat(Waiting.kept(List.of(on("zhixingyun")), on("aliyun"))).contains(on("zhixingyun"));
        assertThat(Waiting.kept(List.of(on("zhixingyun"), on("aliyun")), null)).contains(on("zhixingyun"));
        assertThat(Waiting.kept(List.of(), on("aliyun"))).isEmpty();
    }
}
