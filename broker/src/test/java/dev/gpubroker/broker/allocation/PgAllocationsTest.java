package dev.gpubroker.broker.allocation;

import static dev.gpubroker.broker.allocation.Ledger.wanted;
import static dev.gpubroker.broker.allocation.Rooms.hour;
import static dev.gpubroker.broker.allocation.Rooms.hours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Conflict;
import dev.gpubroker.broker.allocation.Allocations.FreeWindow;
import dev.gpubroker.broker.allocation.Allocations.PoolView;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import dev.gpubroker.broker.database.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class PgAllocationsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Window WINDOW = hours(10, 20);

    private Ledger ledger;

    @BeforeAll
    void open() {
        ledger = new Ledger(DATABASE);
    }

    @Test
    void adjacentWindowsOnTheSameGpusAreBothTaken() {
        OwnPool pool = ledger.pool(1);

        ledger.booked(wanted(pool, 8), hours(10, 12));
        ledger.booked(wanted(pool, 8), hours(12, 14));

        assertThat(ledger.rectangles(pool)).containsExactly(pool.name() + "-1:0+8 10-12", pool.name() + "-1:0+8 12-14");
    }

    @Test
    void whatDoesNotFitWritesNothingAndLeavesTheTransactionUsable() {
        OwnPool pool = ledger.pool(2);
        ledger.booked(wanted(pool, 1), WINDOW);
        String late = ledger.reservation();

        List<Place> places = ledger.database
                .inTransaction(connection -> ledger.allocations
                        .place(connection, wanted(pool, 16, false), null, WINDOW, late, hour(0))
                        .compose(none -> connection.query("SELECT 1").execute().map(none)))
                .await();

        assertThat(places).isEmpty();
        assertThat(ledger.rectangles(pool)).hasSize(1);
    }

    @Test
    void aGroupTakesAllItsNodesOrNone() {
        OwnPool pool = ledger.pool(3);
        ledger.booked(wanted(pool, 2), WINDOW);

        String id = ledger.booked(wanted(pool, 16, false), WINDOW);

        assertThat(ledger.allocations.of(id).await())
                .singleElement()
                .satisfies(place -> assertThat(place.parts())
                        .extracting(Place.Part::nodeName)
                        .containsExactly(pool.name() + "-2", pool.name() + "-3"));
    }

    @Test
    void whatWasTakenIsWhatIsToldLater() {
        OwnPool pool = ledger.pool(2);
        String id = ledger.reservation();

        List<Place> taken = ledger.place(id, wanted(pool, 16, false), WINDOW).await();

        assertThat(ledger.allocations.of(id).await()).isEqualTo(taken);
        assertThat(taken).extracting(Place::gpus).containsExactly(16);
    }

    @Test
    void roomThatWasSeenIsTakenUnlessSomebodyWasFaster() {
        OwnPool pool = ledger.pool(2);
        Place seen = ledger.allocations.find(wanted(pool, 8), WINDOW).await().get(0);

        List<Place> first = ledger.place(ledger.reservation(), wanted(pool, 8), seen, WINDOW)
                .await();
        List<Place> second = ledger.place(ledger.reservation(), wanted(pool, 8), seen, WINDOW)
                .await();
        List<Place> third = ledger.place(ledger.reservation(), wanted(pool, 8), seen, WINDOW)
                .await();

        assertThat(first).containsExactly(seen);
        assertThat(second).hasSize(1).doesNotContain(seen);
        assertThat(third).isEmpty();
    }

    @Test
    void anOutageBlocksItsGpusAndNoOthers() {
        OwnPool pool = ledger.pool(1);
        ledger.outage(pool.nodes().get(0), 0, 4, hours(0, 11));

        assertThat(ledger.allocations.find(wanted(pool, 8), WINDOW).await()).isEmpty();
        assertThat(ledger.allocations.find(wanted(pool, 4), WINDOW).await())
                .singleElement()
                .satisfies(place -> assertThat(place.parts())
                        .extracting(Place.Part::firstGpu)
                        .containsExactly(4));
        assertThat(ledger.allocations.find(wanted(pool, 8), hours(11, 20)).await())
                .hasSize(1);
    }

    @Test
    void anOutageDeclaredAfterTheLookIsSeenByThePlacing() {
        OwnPool pool = ledger.pool(1);
        OwnPool.Node node = pool.nodes().get(0);
        String id = ledger.reservation();
        Future<List<Place>> waiting = ledger.database
                .inTransaction(declaring -> declaring
                        .query("SELECT 1 FROM node WHERE node_id = '" + node.id() + "' FOR UPDATE")
                        .execute()
                        .map(locked -> ledger.place(id, wanted(pool, 8), WINDOW))
                        // The placing now looks, finds the node free, and waits for its lock.
                        .compose(placing -> untilSomebodyWaits(10_000)
                                .compose(waits -> declaring
                                        .query("INSERT INTO allocation (layer, node_id, gpus, during, created_at)"
                                                + " VALUES (2, '" + node.id()
                                                + "', '[0,8)', '[2026-12-20,2026-12-30)', now())")
                                        .execute())
                                .map(placing)))
                .compose(placing -> placing);

        assertThat(waiting.await()).isEmpty();
        assertThat(ledger.rectangles(pool)).isEmpty();
    }

    private Future<Void> untilSomebodyWaits(int looks) {
        if (looks == 0) {
            return Future.failedFuture("nobody waits for the lock");
        }
        return ledger.database
                .pool()
                .query("SELECT count(*) AS n FROM pg_locks WHERE NOT granted")
                .execute()
                .compose(rows -> rows.iterator().next().getLong("n") > 0
                        ? Future.succeededFuture()
                        : untilSomebodyWaits(looks - 1));
    }

    @Test
    void turnaroundIsKeptFreeBeforeAndAfterABooking() {
        OwnPool pool = ledger.pool("A100", 1, Duration.ofMinutes(30));
        ledger.booked(wanted(pool, 8), hours(10, 12));

        assertThat(ledger.allocations.find(wanted(pool, 8), hours(12, 14)).await())
                .isEmpty();
        assertThat(ledger.allocations.find(wanted(pool, 8), hours(8, 10)).await())
                .isEmpty();
        assertThat(ledger.allocations.find(wanted(pool, 8), hours(13, 14)).await())
                .hasSize(1);
        assertThat(ledger.allocations
                        .freeWindows(wanted(pool, 8), hours(9, 12), hour(40), 1)
                        .await())
                .containsExactly(new FreeWindow(hours(13, 16), pool.name(), 8));
    }

    @Test
    void aPoolOfAFamilyServesNobodyWhoStatesMemoryOrForm() {
        OwnPool family = ledger.pool("H100", 1, Duration.ZERO);
        OwnPool exact = ledger.pool("H100-SXM5-80GB", 1, Duration.ZERO);
        Set<String> models = Set.of("H100", "H100-SXM5-80GB", "H100-PCIE-80GB", "H100-NVL-94GB");
        Wanted any = new Wanted("default", models, 8, null, true, false, Set.of());
        Wanted stating = new Wanted("default", models, 8, null, true, true, Set.of());

        assertThat(names(any)).containsExactlyInAnyOrder(family.name(), exact.name());
        assertThat(names(stating)).containsExactly(exact.name());
        assertThat(ledger.allocations.find(stating, WINDOW).await())
                .extracting(Place::poolName)
                .containsExactly(exact.name());
    }

    @Test
    void modelsAreMatchedLetterByLetterAndPoolsByTeamAndName() {
        OwnPool pool = ledger.pool("L20", 1, Duration.ZERO);

        assertThat(names(new Wanted("default", Set.of("l20"), 1, null, true, false, Set.of())))
                .isEmpty();
        assertThat(names(new Wanted("other", Set.of("L20"), 1, null, true, false, Set.of())))
                .isEmpty();
        assertThat(names(new Wanted("default", Set.of("L20"), 1, null, true, false, Set.of("another"))))
                .isEmpty();
        assertThat(names(new Wanted("default", Set.of("L20"), 1, null, true, false, Set.of())))
                .containsExactly(pool.name());
        assertThat(names(new Wanted("default", Set.of(), 1, null, true, false, Set.of())))
                .isEmpty();
    }

    private List<String> names(Wanted wanted) {
        return ledger.allocations.eligible(wanted).await().stream()
                .map(PoolView::name)
                .toList();
    }

    @Test
    void aPoolIsEligibleEvenWhenItIsFullButNotWhenItIsTooSmall() {
        OwnPool pool = ledger.pool(2);
        ledger.booked(wanted(pool, 16, false), hours(0, 100));

        assertThat(ledger.allocations.eligible(wanted(pool, 8)).await())
                .containsExactly(new PoolView(pool.id(), pool.name(), pool.model(), 8, 2));
        assertThat(ledger.allocations.eligible(wanted(pool, 24, false)).await()).isEmpty();
    }

    @Test
    void conflictsTellWhatIsInTheWayAndNameOnlyTheTeamsOwnReservations() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 8), hours(5, 12));
        ledger.extend(id, hours(12, 13)).await();
        String strangers = ledger.booked(wanted(pool, 8), hours(19, 25));
        ledger.booked(wanted(pool, 8), hours(30, 35));
        DATABASE.execute("INSERT INTO team (team_id, name) VALUES ('vision', 'vision') ON CONFLICT DO NOTHING;"
                + " UPDATE reservation SET team_id = 'vision' WHERE reservation_id = '" + strangers + "'");

        assertThat(ledger.allocations.conflicts(wanted(pool, 8), WINDOW).await())
                .containsExactly(
                        new Conflict(id, "evaluation", pool.name() + "-1", 0, 8, hours(5, 13)),
                        new Conflict(null, null, pool.name() + "-1", 0, 8, hours(19, 25)));
    }

    @Test
    void freeWindowsOnRandomDataAreThoseThatTryingEveryHourFinds() {
        for (long seed = 1; seed <= 10; seed++) {
            Random random = new Random(seed);
            OwnPool pool = ledger.pool("A100", 2, Duration.ofMinutes(random.nextInt(3) * 30L));
            for (int i = 0; i < 12; i++) {
                long from = random.nextInt(60);
                Window window = hours(from, from + 1 + random.nextInt(20));
                ledger.place(ledger.reservation(), wanted(pool, 1 + random.nextInt(8)), window)
                        .await();
            }
            Wanted wish = wanted(pool, 1 + random.nextInt(8));

            assertThat(ledger.allocations
                            .freeWindows(wish, hours(5, 9), hour(80), 3)
                            .await())
                    .as("seed %d", seed)
                    .extracting(FreeWindow::window)
                    .isEqualTo(everyHour(wish, 5, 4, 80, 3));
        }
    }

    private List<Window> everyHour(Wanted wish, long from, long length, long horizon, int limit) {
        List<Window> found = new ArrayList<>();
        for (long hour = from; hour <= horizon && found.size() < limit; hour++) {
            if (!ledger.allocations
                    .find(wish, hours(hour, hour + length))
                    .await()
                    .isEmpty()) {
                found.add(hours(hour, hour + length));
                hour += length - 1;
            }
        }
        return found;
    }

    @Test
    void anExtensionAddsTheRectangleToEveryPart() {
        OwnPool pool = ledger.pool(2);
        String id = ledger.booked(wanted(pool, 16, false), hours(10, 12));

        assertThat(ledger.extend(id, hours(12, 14)).await()).isTrue();
        assertThat(ledger.extend(id, hours(14, 15)).await()).isTrue();

        assertThat(ledger.rectangles(pool)).hasSize(6);
        assertThat(ledger.allocations.of(id).await())
                .singleElement()
                .satisfies(place -> assertThat(place.parts()).hasSize(2));
    }

    @Test
    void anExtensionIntoABookingOnOneOfItsNodesChangesNothing() {
        OwnPool pool = ledger.pool(2);
        String id = ledger.booked(wanted(pool, 16, false), hours(10, 12));
        ledger.booked(wanted(pool, 8), hours(13, 20));
        List<String> before = ledger.rectangles(pool);

        assertThat(ledger.extend(id, hours(12, 14)).await()).isFalse();

        assertThat(ledger.rectangles(pool)).isEqualTo(before);
        assertThat(ledger.extend(id, hours(12, 13)).await()).isTrue();
    }

    @Test
    void anExtensionKeepsTheTurnaroundToTheNextBookingButNoneToItself() {
        OwnPool pool = ledger.pool("A100", 1, Duration.ofHours(1));
        String id = ledger.booked(wanted(pool, 8), hours(10, 12));
        ledger.booked(wanted(pool, 8), hours(14, 20));

        assertThat(ledger.extend(id, hours(12, 14)).await()).isFalse();
        assertThat(ledger.extend(id, hours(12, 13)).await()).isTrue();
    }

    @Test
    void anExtensionIntoAnOutageOrOfNothingIsRefused() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 8), hours(10, 12));
        ledger.outage(pool.nodes().get(0), 7, 1, hours(13, 14));

        assertThat(ledger.extend(id, hours(12, 14)).await()).isFalse();
        assertThat(ledger.extend(ledger.reservation(), hours(12, 14)).await()).isFalse();
    }

    @Test
    void truncatingFreesWhatLiesAfterAndGivesUpWhatHadNotBegun() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 8), hours(10, 20));
        ledger.extend(id, hours(20, 24)).await();

        ledger.truncate(id, hour(15));

        assertThat(ledger.rectangles(pool)).containsExactly(pool.name() + "-1:0+8 10-15");
        ledger.booked(wanted(pool, 8), hours(15, 30));
        ledger.truncate(id, hour(10));
        assertThat(ledger.allocations.of(id).await()).isEmpty();
    }

    @Test
    void aStartWaitsForEarlierBookingsOfItsGpusUntilTheyAreReleased() {
        OwnPool pool = ledger.pool(1);
        String early = ledger.booked(wanted(pool, 4), hours(10, 12));
        String beside = ledger.booked(wanted(pool, 4), hours(10, 12));
        String next = ledger.booked(wanted(pool, 4), hours(12, 14));
        String later = ledger.booked(wanted(pool, 8), hours(14, 16));

        assertThat(ledger.allocations.waitsForAnEarlierOne(early).await()).isFalse();
        assertThat(ledger.allocations.waitsForAnEarlierOne(beside).await()).isFalse();
        assertThat(ledger.allocations.waitsForAnEarlierOne(next).await()).isTrue();
        assertThat(ledger.allocations.waitsForAnEarlierOne(later).await()).isTrue();

        ledger.release(early, hour(12));
        assertThat(ledger.allocations.waitsForAnEarlierOne(next).await()).isFalse();
        assertThat(ledger.allocations.waitsForAnEarlierOne(later).await()).isTrue();

        ledger.release(beside, hour(12));
        ledger.release(next, hour(13));
        assertThat(ledger.allocations.waitsForAnEarlierOne(later).await()).isFalse();
    }

    @Test
    void anExtendedReservationDoesNotWaitForItself() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 8), hours(10, 12));
        ledger.extend(id, hours(12, 14)).await();

        assertThat(ledger.allocations.waitsForAnEarlierOne(id).await()).isFalse();
    }

    @Test
    void whatIsReleasedEarlyIsFreeAtOnceAndReleasingAgainChangesNothing() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 8), hours(10, 20));

        ledger.release(id, hour(12));
        ledger.release(id, hour(15));

        assertThat(ledger.allocations.of(id).await()).isEmpty();
        ledger.booked(wanted(pool, 8), hours(12, 20));
    }

    @Test
    void aRectangleNeedsItsReservation() {
        OwnPool pool = ledger.pool(1);

        Future<List<Place>> placing = ledger.place("rsv_nobody", wanted(pool, 8), WINDOW);

        assertThatThrownBy(placing::await).hasMessageContaining("allocation_reservation_id_fkey");
    }
}
