package dev.gpubroker.adapter.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BlockQueryTest {
    private static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");

    @Test
    void aWindowIsCoveredFromTheTurnBeforeItToTheTurnAfterIt() {
        assertThat(BlockQuery.covering(window("2026-12-20T00:00:00Z", "2026-12-25T00:00:00Z"), NOW))
                .contains(query("2026-12-19T11:30:00Z", "2026-12-26T11:30:00Z", 6 * 24));
    }

    @Test
    void aWindowFromTurnToTurnNeedsADayMoreBecauseTheLastHalfHourIsNotUsable() {
        assertThat(BlockQuery.covering(window("2026-12-20T11:30:00Z", "2026-12-25T11:00:00Z"), NOW))
                .contains(query("2026-12-20T11:30:00Z", "2026-12-26T11:30:00Z", 5 * 24));
        assertThat(BlockQuery.covering(window("2026-12-20T11:30:00Z", "2026-12-25T11:00:01Z"), NOW))
                .contains(query("2026-12-20T11:30:00Z", "2026-12-27T11:30:00Z", 6 * 24));
    }

    @Test
    void aWindowThatBeginsSoonIsAskedFromNow() {
        assertThat(BlockQuery.covering(window("2026-11-01T03:00:00Z", "2026-11-02T03:00:00Z"), NOW))
                .contains(query("2026-11-01T02:00:00Z", "2026-11-03T11:30:00Z", 2 * 24));
    }

    @Test
    void moreThanTwoWeeksAreAskedInWeeksWithRoomOnBothSides() {
        assertThat(BlockQuery.covering(window("2026-12-01T12:00:00Z", "2026-12-16T10:00:00Z"), NOW))
                .contains(query("2026-11-25T11:30:00Z", "2026-12-23T11:30:00Z", 21 * 24));
    }

    @Test
    void noBlockCoversThePastTheFarFutureOrHalfAYear() {
        assertThat(BlockQuery.covering(window("2026-11-01T01:59:59Z", "2026-11-03T00:00:00Z"), NOW))
                .isEmpty();
        assertThat(BlockQuery.covering(Window.of(NOW.plus(Duration.ofDays(57)), Duration.ofDays(1)), NOW))
                .isEmpty();
        assertThat(BlockQuery.covering(Window.of(NOW.plus(Duration.ofDays(3)), Duration.ofDays(183)), NOW))
                .isEmpty();
    }

    @Test
    void everyBlockOfTheAskedLengthThatLiesInTheAskedRangeAndBeginsInTimeCovers() {
        Random random = new Random(20261130);
        for (int i = 0; i < 2000; i++) {
            Window wanted = Window.of(
                    NOW.plus(Duration.ofMinutes(1440 + random.nextInt(50 * 1440))),
                    Duration.ofMinutes(60 + random.nextInt(90 * 1440)));
            BlockQuery query = BlockQuery.covering(wanted, NOW).orElseThrow();

            Instant latestStart = BlockQuery.floor(wanted.start());
            Instant end = latestStart.plus(Duration.ofHours(query.hours()));
            assertThat(latestStart).isBeforeOrEqualTo(wanted.start()).isAfterOrEqualTo(query.earliest());
            assertThat(end.minus(Duration.ofMinutes(30))).isAfterOrEqualTo(wanted.end());
            assertThat(end).isBeforeOrEqualTo(query.latest());
            assertThat(BlockQuery.ceiling(end)).isEqualTo(end);
        }
    }

    private static Window window(String start, String end) {
        return new Window(Instant.parse(start), Instant.parse(end));
    }

    private static BlockQuery query(String earliest, String latest, int hours) {
        return new BlockQuery(Instant.parse(earliest), Instant.parse(latest), hours);
    }
}
