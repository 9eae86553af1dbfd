package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The times of a query, and the span between two of them. */
final class QueryTimesTest {
    private static final ZoneId ZONE = ZoneId.of("Asia/Shanghai");

    @Test
    void aSpanThatEndsBeforeItStartsIsRefusedOnItsEnd() {
        Problem problem = refusal("2026-12-20", "2026-12-19");

        assertThat(problem.status()).isEqualTo(400);
        assertThat(problem.code()).isEqualTo("invalid_request");
        assertThat(problem.errors()).extracting(FieldError::field).containsExactly("to");
    }

    @Test
    void aSpanWithoutLengthIsRefusedToo() {
        assertThat(refusal("2026-12-20", "2026-12-20").errors())
                .extracting(FieldError::field)
                .containsExactly("to");
    }

    @Test
    void eitherSideMayBeOpen() {
        Instant day = Instant.parse("2026-12-19T16:00:00Z");

        assertThat(span("2026-12-20", null)).isEqualTo(new QuerySpan(day, null));
        assertThat(span(null, "2026-12-20")).isEqualTo(new QuerySpan(null, day));
        assertThat(span(null, null)).isEqualTo(new QuerySpan(null, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"9999-12-31", "9999-12-31T23:59:59-18:00", "2200-01-02", "1969-12-30", "0000-01-01T00:00:00Z"})
    void aYearThatIsASlipIsRefused(String time) {
        Problem problem = refusal(time, null);

        assertThat(problem.status()).isEqualTo(400);
        assertThat(problem.errors()).extracting(FieldError::field).containsExactly("from");
        assertThat(problem.detail()).contains("1970 to 2199");
    }

    @Test
    void theFirstAndTheLastYearAreTaken() {
        assertThat(span("1970-01-02", "2199-12-31").to()).isEqualTo(Instant.parse("2199-12-30T16:00:00Z"));
    }

    private static QuerySpan span(@Nullable String from, @Nullable String to) {
        Map<String, JsonNode> query = new HashMap<>();
        if (from != null) {
            query.put("from", TextNode.valueOf(from));
        }
        if (to != null) {
            query.put("to", TextNode.valueOf(to));
        }
        return QuerySpan.of(
                new ApiRequest(
                        "listReservations",
                        "request",
                        TestServer.ADMIN,
                        Map.of(),
                        query,
                        Map.of(),
                        null,
                        null,
                        Language.ofHeader("en")),
                ZONE);
    }

    private static Problem refusal(@Nullable String from, @Nullable String to) {
        return catchThrowableOfType(ApiProblem.class, () -> span(from, to)).problem();
    }
}
