package dev.gpubroker.broker.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One time in a body, as the clock's {@code set} or the new end of a reservation. */
final class RequestTimesTest {
    private static final ZoneId ZONE = ZoneId.of("Asia/Shanghai");

    @ParameterizedTest
    @ValueSource(strings = {"x", "", "tomorrow", "2026-1-1", "20261201", "2026-12-01 10:00", "+12026-12-01"})
    void whatIsNoTimeAtAllIsAFormatFault(String text) {
        Problem problem = refusal(text);

        assertThat(problem.code()).isEqualTo("invalid_request");
        assertThat(problem.errors()).extracting(FieldError::field).containsExactly("set");
        assertThat(problem.errors()).extracting(FieldError::code).containsExactly("format");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2026-11-31", "2027-02-29T00:00:00+08:00", "2026-12-01T25:00"})
    void aDateThatIsOnNoCalendarIsNoSuchDate(String text) {
        assertThat(refusal(text).code()).isEqualTo("no_such_date");
    }

    @ParameterizedTest
    @ValueSource(strings = {"9999-12-31", "1969-12-30", "0001-01-01T00:00:00Z"})
    void aYearThatIsASlipIsRefused(String text) {
        assertThat(refusal(text).detail()).contains("1970 to 2199");
    }

    @Test
    void everyUsualFormIsRead() {
        Instant noon = Instant.parse("2026-12-01T04:00:00Z");

        assertThat(RequestTimes.any("set", "2026-12-01T12:00:00+08:00", ZONE)).isEqualTo(noon);
        assertThat(RequestTimes.any("set", "2026-12-01T04:00Z", ZONE)).isEqualTo(noon);
        assertThat(RequestTimes.any("set", "2026-12-01T12:00", ZONE)).isEqualTo(noon);
        assertThat(RequestTimes.any("set", "2026-12-01", ZONE)).isEqualTo(Instant.parse("2026-11-30T16:00:00Z"));
    }

    private static Problem refusal(String text) {
        return catchThrowableOfType(ApiProblem.class, () -> RequestTimes.any("set", text, ZONE))
                .problem();
    }
}
