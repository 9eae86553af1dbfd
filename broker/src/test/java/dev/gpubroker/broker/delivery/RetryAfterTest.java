package dev.gpubroker.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-12-01T02:00:00Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "120                               | PT2M",
                "0                                 | PT0S",
                "00060                             | PT1M",
                "86400                             | PT24H",
                "86401                             | PT24H",
                "999999999999999999999             | PT24H",
                "Tue, 01 Dec 2026 02:05:00 GMT     | PT5M",
                "Tue, 01 Dec 2026 01:59:00 GMT     | PT0S",
                "Sun, 31 Dec 2028 00:00:00 GMT     | PT24H"
            })
    void secondsAndDatesAreReadAndADayIsTheMost(String header, Duration expected) {
        assertThat(RetryAfter.of(429, header, NOW)).contains(expected);
        assertThat(RetryAfter.of(503, " " + header + " ", NOW)).contains(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "-5", "1.5", "soon", "٣٠", "Wed, 01 Dec 2026 02:05:00 GMT", "Tuesday, 01-Dec-26 02:05:00 GMT"
            })
    void whatCannotBeReadAsksForNothing(String header) {
        assertThat(RetryAfter.of(429, header, NOW)).isEmpty();
    }

    @Test
    void itCountsWhereItSaysThatTheReceiverIsBusy() {
        assertThat(RetryAfter.of(403, "60", NOW)).contains(Duration.ofMinutes(1)); // GitHub's limits.
        assertThat(RetryAfter.of(500, "60", NOW)).isEmpty();
        assertThat(RetryAfter.of(301, "60", NOW)).isEmpty();
        assertThat(RetryAfter.of(null, "60", NOW)).isEmpty();
        assertThat(RetryAfter.of(429, null, NOW)).isEmpty();
    }

    @Test
    void thePauseIsNeverShorterThanAskedNorThanTheSchedules() {
        Duration hour = Duration.ofHours(1);
        assertThat(Schedule.after(0, hour, 0)).contains(hour);
        assertThat(Schedule.after(0, hour, 0.5)).contains(Duration.ofMinutes(63));
        assertThat(Schedule.after(4, hour, 0.5)).contains(Duration.ofHours(5));
        assertThat(Schedule.after(9, hour, 0.5)).isEmpty();
    }
}
