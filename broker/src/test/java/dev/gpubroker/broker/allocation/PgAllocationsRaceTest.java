package dev.gpubroker.broker.allocation;

import static dev.gpubroker.broker.allocation.Ledger.wanted;
import static dev.gpubroker.broker.allocation.Rooms.hour;
import static dev.gpubroker.broker.allocation.Rooms.hours;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.database.TestDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many at once, from two brokers. Transactions run without a second chance, so that a deadlock fails the test. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class PgAllocationsRaceTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Window WINDOW = hours(10, 20);

    private Ledger ledger;
    private Database other;
    private Ledger second;
    private List<String> reservations = List.of();

    @BeforeAll
    void open() {
        ledger = new Ledger(DATABASE);
        other = DATABASE.anotherBroker();
        second = new Ledger(other);
    }

    @AfterAll
    void close() {
        other.close();
    }

    @AfterEach
    void nothingOverlaps() {
        assertThat(ledger.overlaps()).isEmpty();
    }

    @Test
    void ofTwentyBookingsForTheLastEightGpusOneIsPlaced() {
        OwnPool pool = ledger.pool(1);

        List<List<Place>> answers = inParallel(20, i -> placing(i, pool, 8, WINDOW));

        assertThat(answers).filteredOn(places -> !places.isEmpty()).hasSize(1);
        assertThat(ledger.rectangles(pool)).containsExactly(pool.name() + "-1:0+8 10-20");
    }

    @Test
    void allAreServedWhenThereIsRoomForAllHoweverTheyCrowd() {
        OwnPool pool = ledger.pool(3);

        List<List<Place>> answers = inParallel(24, i -> placing(i, pool, 1, WINDOW));

        assertThat(answers).allSatisfy(places -> assertThat(places).hasSize(1));
        assertThat(ledger.rectangles(pool)).hasSize(24);
    }

    @Test
    void groupsOverSeveralNodesDoNotBlockEachOther() {
        OwnPool pool = ledger.pool(4);

        List<List<Place>> answers = inParallel(12, i -> placing(i, pool, 16, WINDOW));

        assertThat(answers).filteredOn(places -> !places.isEmpty()).hasSize(2);
        assertThat(ledger.rectangles(pool)).hasSize(4);
    }

    @Test
    void randomPlacingNeverOverlapsAndKeepsTurnaround() {
        for (long seed = 1; seed <= 4; seed++) {
            Random random = new Random(seed);
            OwnPool pool = ledger.pool("A100", 2, Duration.ofMinutes(seed % 2 * 90));
            ledger.outage(pool.nodes().get(0), 2, 3, hours(12, 16));
            for (int round = 0; round < 4; round++) {
                List<Function<Integer, Future<List<Place>>>> tries = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    long from = random.nextInt(30);
                    Window window = hours(from, from + 1 + random.nextInt(6));
                    int gpus = 1 + random.nextInt(8);
                    tries.add(n -> placing(n, pool, gpus, window));
                }
                inParallel(20, i -> tries.get(i).apply(i));
            }
            assertThat(ledger.overlaps()).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void twoAdjacentBookingsAtOnceKeepTheTurnaroundBetweenThem() {
        for (int round = 0; round < 20; round++) {
            OwnPool pool = ledger.pool("A100", 1, Duration.ofHours(1));

            List<List<Place>> answers = inParallel(2, i -> placing(i, pool, 8, i == 0 ? hours(10, 12) : hours(12, 14)));

            assertThat(answers).filteredOn(places -> !places.isEmpty()).hasSize(1);
        }
    }

    @Test
    void neighboursExtendAndBookAtOnceWithoutDeadlock() {
        for (int round = 0; round < 20; round++) {
            OwnPool pool = ledger.pool(2);
            // Two on either half of both nodes, so that each holds what the other's locks touch.
            String left = ledger.booked(halves(pool), hours(10, 12));
            String right = ledger.booked(halves(pool), hours(10, 12));

            List<Boolean> answers = inParallel(6, i -> switch (i) {
                case 0 -> extending(ledger, left);
                case 1 -> extending(second, right);
                default -> placing(i, pool, 8, hours(12, 14)).map(places -> !places.isEmpty());
            });

            long extended = answers.subList(0, 2).stream().filter(done -> done).count();
            long placed = answers.subList(2, 6).stream().filter(done -> done).count();
            // Each node's eight GPUs go to a booking, or the halves of both nodes to those who extend.
            assertThat(extended == 0 ? placed == 2 : placed == 0)
                    .as("round %d: %s", round, answers)
                    .isTrue();
            assertThat(ledger.overlaps()).isEmpty();
        }
    }

    @Test
    void twoWhoExtendIntoTheSameGapNeverBothGetIt() {
        for (int round = 0; round < 20; round++) {
            OwnPool pool = ledger.pool(2);
            String id = ledger.booked(wanted(pool, 16, false), hours(10, 12));

            List<Boolean> answers = inParallel(
                    2,
                    i -> i == 0
                            ? extending(ledger, id)
                            : placing(i, pool, 16, hours(13, 20)).map(places -> !places.isEmpty()));

            assertThat(answers).containsExactlyInAnyOrder(true, false);
        }
    }

    @Test
    void aPoolThatIsRemovedWhileOthersBookHasBookingsOrIsGone() {
        for (int round = 0; round < 10; round++) {
            OwnPool pool = ledger.pool(2);
            PgPoolStore store = new PgPoolStore(other);

            List<Boolean> answers = inParallel(
                    5,
                    i -> i == 0
                            ? once(
                                    other,
                                    connection -> store.lock(connection, "default", pool.id())
                                            .compose(found -> store.booked(connection, pool.id(), 9))
                                            .compose(booked -> booked.isEmpty()
                                                    ? store.delete(connection, pool.id())
                                                            .map(true)
                                                    : Future.succeededFuture(false)))
                            : placing(i, pool, 8, WINDOW).map(places -> !places.isEmpty()));

            boolean removed = answers.get(0);
            assertThat(answers.subList(1, 5).contains(true)).isEqualTo(!removed);
            assertThat(store.read("default", pool.id()).await().isEmpty()).isEqualTo(removed);
        }
    }

    private static Allocations.Wanted halves(OwnPool pool) {
        return new Allocations.Wanted("default", Set.of(pool.model()), 8, 2, false, false, Set.of(pool.name()));
    }

    private Future<Boolean> extending(Ledger broker, String reservation) {
        return once(
                broker.database,
                connection -> broker.allocations.extend(connection, reservation, hour(12), hour(14), hour(11)));
    }

    private Future<List<Place>> placing(int number, OwnPool pool, int gpus, Window window) {
        Ledger broker = number % 2 == 0 ? ledger : second;
        String id = reservations.get(number);
        return once(
                broker.database,
                connection ->
                        broker.allocations.place(connection, wanted(pool, gpus, gpus <= 8), null, window, id, hour(0)));
    }

    private static <T> Future<T> once(Database database, Function<SqlConnection, Future<T>> work) {
        return database.pool().withTransaction(work);
    }

    private <T> List<T> inParallel(int count, Function<Integer, Future<T>> work) {
        // Made before the race, so that it has a narrow start.
        reservations =
                IntStream.range(0, count).mapToObj(i -> ledger.reservation()).toList();
        List<Future<T>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            running.add(work.apply(i));
        }
        Future.join(running).await();
        return running.stream().map(Future::result).toList();
    }
}
