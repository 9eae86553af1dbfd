package dev.gpubroker.broker.schedule.quartz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.time.BusinessClock;
import dev.gpubroker.broker.time.PgTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With the real Quartz. The demo clock is set to just before a full minute, so that the minute comes at once. */
@Timeout(60)
class WakeUpsTest {
    private static final Duration RARELY = Duration.ofHours(1);

    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private final Semaphore woken = new Semaphore(0);
    private BusinessClock clock;
    private WakeUps wakeUps;

    @BeforeEach
    void start() {
        DATABASE.execute("UPDATE demo_clock SET offset_micros = 0");
        DATABASE.execute("TRUNCATE quartz.qrtz_triggers CASCADE");
        clock = BusinessClock.start(new PgTimeSource(DATABASE.database().pool()))
                .await();
        wakeUps = start(DATABASE.database(), RARELY);
    }

    @AfterEach
    void stop() {
        wakeUps.close();
    }

    @Test
    void aDueMinuteHasOneTriggerHoweverOftenItIsAskedFor() {
        Instant minute = clock.instant().truncatedTo(ChronoUnit.MINUTES).plus(3, ChronoUnit.DAYS);

        wakeUps.wakeAt(minute).await();
        wakeUps.wakeAt(minute.minusSeconds(1)).await();
        wakeUps.wakeAt(minute.minusSeconds(59)).await();
        assertThat(triggers()).isEqualTo(1);

        wakeUps.wakeAt(minute.plusNanos(1000)).await();
        assertThat(triggers()).isEqualTo(2);
    }

    @Test
    void itWakesWhenBusinessTimeReachesTheMinuteAndTheTriggerVanishes() throws Exception {
        Instant minute = setClockTo(Duration.ofSeconds(2));

        wakeUps.wakeAt(minute).await();

        assertThat(wokenWithin(20)).isTrue();
        assertThat(clock.instant()).isAfterOrEqualTo(minute);
        wakeUps.close();
        assertThat(triggers()).isZero();
    }

    @Test
    void whatIsDueAlreadyWakesAtOnceWithoutATrigger() throws Exception {
        wakeUps.wakeAt(clock.instant().minusSeconds(1)).await();

        assertThat(wokenWithin(5)).isTrue();
        assertThat(triggers()).isZero();
    }

    @Test
    void aMinuteIsAskedForOnceUntilTheClockIsMoved() {
        Instant minute = clock.instant().plus(1, ChronoUnit.DAYS);
        wakeUps.wakeAt(minute).await();
        DATABASE.execute("DELETE FROM quartz.qrtz_simple_triggers; DELETE FROM quartz.qrtz_triggers");

        wakeUps.wakeAt(minute).await();
        assertThat(triggers()).isZero();

        wakeUps.rescheduleAll().await();
        wakeUps.wakeAt(minute).await();
        assertThat(triggers()).isEqualTo(1);
    }

    @Test
    void afterAJumpTheTriggersMoveAndThisBrokerLooksAtOnce() throws Exception {
        Instant passed = clock.instant().truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.DAYS);
        Instant ahead = passed.plus(9, ChronoUnit.DAYS);
        wakeUps.wakeAt(passed).await();
        wakeUps.wakeAt(ahead).await();
        moveBy(Duration.between(clock.instant(), ahead.minusSeconds(2)));

        wakeUps.rescheduleAll().await();

        assertThat(wokenWithin(5)).isTrue();
        assertThat(wokenWithin(20)).isTrue();
        assertThat(clock.instant()).isAfterOrEqualTo(ahead);
    }

    @Test
    void oneOfTwoBrokersIsWoken() throws Exception {
        Instant minute = setClockTo(Duration.ofSeconds(2));
        try (Database other = DATABASE.anotherBroker();
                WakeUps second = start(other, RARELY)) {
            wakeUps.wakeAt(minute).await();
            second.wakeAt(minute).await();

            assertThat(wokenWithin(20)).isTrue();
        }
        wakeUps.close();
        assertThat(woken.availablePermits()).isZero();
    }

    @Test
    void theScanWakesWhateverQuartzDoes() throws Exception {
        try (WakeUps scanning = start(DATABASE.database(), Duration.ofMillis(20))) {
            assertThat(woken.tryAcquire(3, 10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aCallbackThatFailsIsCalledAgain() throws Exception {
        Runnable failing = () -> {
            woken.release();
            throw new IllegalStateException("on purpose");
        };
        try (WakeUps scanning =
                WakeUps.start(DATABASE.vertx(), DATABASE.database().jdbc(), clock, failing, Duration.ofMillis(20))) {
            assertThat(woken.tryAcquire(2, 10, TimeUnit.SECONDS)).isTrue();
        }
    }

    private WakeUps start(Database database, Duration scanEvery) {
        return WakeUps.start(DATABASE.vertx(), database.jdbc(), clock, woken::release, scanEvery);
    }

    private boolean wokenWithin(int seconds) throws InterruptedException {
        return woken.tryAcquire(seconds, TimeUnit.SECONDS);
    }

    /** Moves business time so that a full minute is {@code before} away; that minute. */
    private Instant setClockTo(Duration before) {
        Instant minute = clock.instant().truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.DAYS);
        moveBy(Duration.between(clock.instant(), minute.minus(before)));
        return minute;
    }

    private void moveBy(Duration jump) {
        long micros = clock.offset().plus(jump).toNanos() / 1000;
        DATABASE.execute("UPDATE demo_clock SET offset_micros = " + micros);
        clock.refresh().await();
    }

    private static int triggers() {
        return DATABASE.database()
                .pool()
                .query("SELECT count(*)::int FROM quartz.qrtz_triggers")
                .execute()
                .await()
                .iterator()
                .next()
                .getInteger(0);
    }
}
