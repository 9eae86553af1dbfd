package dev.gpubroker.broker.booking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The version that a change is made on, and the model that a list is asked for. */
final class ReservationRoutesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"W/\"1\"", "w/\"1\"", "*", "\"1\", \"2\"", "\"1", "1\"", "\"\"", "-1", "\"1234567890123456789\""
            })
    void whatIsNoStrongTagOfAVersionIsRefused(String match) {
        Problem problem = catchThrowableOfType(ApiProblem.class, () -> ReservationRoutes.versionOf(match))
                .problem();

        assertThat(problem.status()).isEqualTo(400);
        assertThat(problem.code()).isEqualTo("invalid_request");
        assertThat(problem.errors()).extracting(FieldError::field).containsExactly("If-Match");
    }

    @Test
    void aListOfAModelThatNobodyKnowsIsRefusedAndNotEmpty() {
        GpuCatalogue catalogue = GpuCatalogue.shipped();

        Problem problem = catchThrowableOfType(ApiProblem.class, () -> ReservationRoutes.canonical(catalogue, "zzz"))
                .problem();

        assertThat(problem.status()).isEqualTo(400);
        assertThat(problem.code()).isEqualTo("unknown_model");
        assertThat(problem.errors()).extracting(FieldError::field).containsExactly("model");
        assertThat(ReservationRoutes.canonical(catalogue, "rtx 4090")).isEqualTo("RTX4090");
        assertThat(ReservationRoutes.canonical(catalogue, null)).isNull();
    }

    @Test
    void aVersionIsReadWithItsQuotesOrWithout() {
        assertThat(ReservationRoutes.versionOf("\"3\"")).isEqualTo(3);
        assertThat(ReservationRoutes.versionOf(" 12 ")).isEqualTo(12);
    }
}
