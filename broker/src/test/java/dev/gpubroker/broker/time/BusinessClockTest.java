package dev.gpubroker.broker.time;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.database.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BusinessClockTest {
    private static final Instant NOON = Instant.parse("2026-12-20T12:00:00Z");

    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private final FakeDatabase database = new FakeDatabase();
    private final BusinessClock clock =
            BusinessClock.start(database, () -> database.nanos).await();

    @Test
    void runsOnBetweenSamplesWithoutAsking() {
        database.pass(Duration.ofSeconds(5));

        assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(5));
        assertThat(database.reads).isEqualTo(1);
    }

    @Test
    void aSampleBringsItInLineWithTheDatabase() {
        database.clock = NOON.plusSeconds(3);

        assertThat(clock.refresh().await()).isEqualTo(NOON.plusSeconds(3));
    }

    @Test
    void standsStillUntilADatabaseThatIsBehindHasCaughtUp() {
        database.pass(Duration.ofSeconds(10));
        assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(10));
        database.clock = NOON.plusSeconds(8);

        assertThat(clock.refresh().await()).isEqualTo(NOON.plusSeconds(10));
        database.pass(Duration.ofSeconds(1));
        assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(10));
        database.pass(Duration.ofSeconds(3));
        assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(12));
    }

    @Test
    void followsTheDemoClockForwardAndBack() {
        database.offset = Duration.ofDays(10);
        database.pass(Duration.ofSeconds(1));
        assertThat(clock.refresh().await()).isEqualTo(NOON.plusSeconds(1).plus(Duration.ofDays(10)));
        assertThat(clock.offset()).isEqualTo(Duration.ofDays(10));
        assertThat(clock.wallTimeOf(NOON.plus(Duration.ofDays(10)))).isEqualTo(NOON);

        database.offset = Duration.ofDays(-1);
        assertThat(clock.refresh().await()).isEqualTo(NOON.plusSeconds(1).minus(Duration.ofDays(1)));
    }

    @Test
    void aSlowAnswerDoesNotReplaceAFreshGoodOne() {
        database.clock = NOON.plusSeconds(7);
        database.roundTrip = Duration.ofSeconds(2);

        clock.refresh().await();

        assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(2));
    }

    @Test
    void anAnswerAskedForEarlierDoesNotUndoALaterOne() {
        Promise<DatabaseTime> late = Promise.promise();
        database.answer = late.future();
        Future<Instant> early = clock.refresh();
        database.answer = null;
        database.offset = Duration.ofDays(1);
        clock.refresh().await();

        late.complete(new DatabaseTime(NOON, Duration.ZERO));

        early.await();
        assertThat(clock.offset()).isEqualTo(Duration.ofDays(1));
    }

    @Test
    void agreesWithTheDatabasesOwnFunction() {
        DATABASE.execute("UPDATE demo_clock SET offset_micros = 864000000000");
        BusinessClock real = BusinessClock.start(
                        new PgTimeSource(DATABASE.database().pool()))
                .await();

        Instant before = real.instant();
        Instant told = DATABASE.database()
                .pool()
                .query("SELECT business_now()")
                .execute()
                .await()
                .iterator()
                .next()
                .getOffsetDateTime(0)
                .toInstant();

        assertThat(real.offset()).isEqualTo(Duration.ofDays(10));
        assertThat(Duration.between(before, told).abs()).isLessThan(Duration.ofSeconds(2));
    }

    /** A database whose clock moves only when told; answers take {@code roundTrip}. */
    private static final class FakeDatabase implements TimeSource {
        Instant clock = NOON;
        Duration offset = Duration.ZERO;
        Duration roundTrip = Duration.ofNanos(2);
        long nanos = -1_000;
        int reads;

        @org.jspecify.annotations.Nullable
        Future<DatabaseTime> answer;

        void pass(Duration time) {
            clock = clock.plus(time);
            nanos += time.toNanos();
        }

        @Override
        public Future<DatabaseTime> read() {
            reads++;
            if (answer != null) {
                return answer;
            }
            nanos += roundTrip.toNanos() / 2;
            DatabaseTime read = new DatabaseTime(clock, offset);
            nanos += roundTrip.toNanos() / 2;
            return Future.succeededFuture(read);
        }
    }
}
