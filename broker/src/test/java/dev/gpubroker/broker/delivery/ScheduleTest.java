package dev.gpubroker.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    @Test
    void aReceiverMayBeAwayForThreeDaysAndTheLastPauseIsADay() {
        List<Duration> pauses = new ArrayList<>();
        for (Optional<Duration> next = Schedule.after(0, 0.5); next.isPresent(); ) {
            pauses.add(next.get());
            next = Schedule.after(pauses.size(), 0.5);
        }

        assertThat(pauses).hasSize(9).startsWith(Duration.ofSeconds(5)).endsWith(Duration.ofHours(24));
        assertThat(pauses.stream().reduce(Duration.ZERO, Duration::plus)).isGreaterThan(Duration.ofDays(3));
    }

    @Test
    void whatFailedTogetherComesBackATenthApartAtMost() {
        assertThat(Schedule.after(1, 0)).contains(Duration.ofSeconds(270));
        assertThat(Schedule.after(1, 0.999_999).orElseThrow())
                .isBetween(Duration.ofSeconds(329), Duration.ofSeconds(330));
    }
}
