package dev.gpubroker.adapter.huawei;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyJudgeTest {
    @Test
    void theBodyIsJudgedBeforeTheStatus() {
        WireFault fault = judged(202, "{\"error\":{\"code\":\"Common.0024\",\"message\":\"exceeds flow over limit\"}}");

        assertThat(fault.kind()).isEqualTo(WireFault.Kind.ANSWERED);
        assertThat(fault.code()).isEqualTo("Common.0024");
    }

    @Test
    void eachErrorShapeIsRead() {
        assertThat(judged(400, "{\"error\":{\"code\":\"Ecs.0018\",\"message\":\"m\"}}")
                        .words())
                .isEqualTo("Ecs.0018: m");
        assertThat(judged(401, "{\"error_code\":\"APIGW.0301\",\"error_msg\":\"m\",\"request_id\":\"r\"}")
                        .words())
                .isEqualTo("APIGW.0301: m");
        assertThat(judged(404, "{\"code\":\"Ecs.0114\",\"message\":\"m\"}").words())
                .isEqualTo("Ecs.0114: m");
        assertThat(judged(502, "<html>Bad Gateway</html>").code()).isEmpty();
    }

    @Test
    void aJobThatFailedIsAGoodAnswer() {
        assertThatCode(() -> ReplyJudge.judge(
                        200,
                        "{\"status\":\"FAIL\",\"error_code\":\"Ecs.0319\",\"fail_reason\":\"none left\",\"code\":null,"
                                + "\"message\":null}"))
                .doesNotThrowAnyException();
    }

    @Test
    void noContentNeedsNoBody() {
        assertThatCode(() -> ReplyJudge.judge(204, null)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "  ", "<html></html>", "{\"job_id\":\"ff80", "[]", "\"text\"", "null"})
    void anAnswerThatIsNoObjectIsNone(String body) {
        assertThat(judged(200, body).kind()).isEqualTo(WireFault.Kind.UNREADABLE);
    }

    @Test
    void aRedirectIsNoAnswer() {
        assertThat(judged(302, "{}").kind()).isEqualTo(WireFault.Kind.UNREADABLE);
    }

    private static WireFault judged(int status, @org.jspecify.annotations.Nullable String body) {
        return catchThrowableOfType(WireFault.class, () -> ReplyJudge.judge(status, body));
    }
}
