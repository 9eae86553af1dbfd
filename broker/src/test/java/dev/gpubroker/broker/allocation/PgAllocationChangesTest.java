package dev.gpubroker.broker.allocation;

import static dev.gpubroker.broker.allocation.Ledger.wanted;
import static dev.gpubroker.broker.allocation.Rooms.hour;
import static dev.gpubroker.broker.allocation.Rooms.hours;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.AllocationChanges.Ahead;
import dev.gpubroker.broker.allocation.Allocations.Conflict;
import dev.gpubroker.broker.database.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class PgAllocationChangesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private Ledger ledger;

    @BeforeAll
    void open() {
        ledger = new Ledger(DATABASE);
    }

    private Ahead ahead(String id, Window added) {
        return ledger.changes.ahead(id, added).await();
    }

    // ---- how long the same GPUs are free (L-05) -------------------------------------------------------------

    @Test
    void theSameGpusAreFreeUntilTheNextBookingOfAnyOfThem() {
        OwnPool pool = ledger.pool(2);
        String id = ledger.booked(wanted(pool, 16, false), hours(10, 12));
        String next = ledger.booked(wanted(pool, 1), hours(15, 20));
        ledger.booked(wanted(pool, 8), hours(18, 20));

        assertThat(ahead(id, hours(12, 16)).freeUntil()).isEqualTo(hour(15));
        assertThat(ahead(id, hours(12, 16)).conflicts())
                .extracting(Conflict::reservationId)
                .containsExactly(next);
        assertThat(ahead(id, hours(12, 14)).conflicts()).isEmpty();
    }

    @Test
    void turnaroundIsKeptAndAnOutageNeedsNone() {
        OwnPool pool = ledger.pool("A100", 1, Duration.ofMinutes(90));
        String id = ledger.booked(wanted(pool, 8), hours(10, 12));
        ledger.booked(wanted(pool, 8), hours(20, 22));

        assertThat(ahead(id, hours(12, 19)).freeUntil()).isEqualTo(hour(20).minus(Duration.ofMinutes(90)));

        ledger.outage(pool.nodes().get(0), 3, 1, hours(15, 16));
        assertThat(ahead(id, hours(12, 19)).freeUntil()).isEqualTo(hour(15));
        assertThat(ahead(id, hours(12, 19)).conflicts()).hasSize(2);
    }

    @Test
    void withoutAnythingAheadThereIsNoBound() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 4), hours(10, 12));
        ledger.booked(wanted(pool, 4), hours(10, 20));

        assertThat(ahead(id, hours(12, 500)).freeUntil()).isNull();
    }

    // ---- moving -----------------------------------------------------------------------------------------------

    @Test
    void aMoveMayOverlapWhereItWas() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 8), hours(10, 20));

        assertThat(ledger.move(id, wanted(pool, 8), hours(15, 25), hour(5)).await())
                .hasSize(1);

        assertThat(ledger.rectangles(pool)).containsExactly(pool.name() + "-1:0+8 15-25");
        ledger.booked(wanted(pool, 8), hours(10, 15));
    }

    @Test
    void aMoveToWhereThereIsNoRoomLeavesEverythingAsItWasAndTheTransactionUsable() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 8), hours(10, 20));
        ledger.booked(wanted(pool, 1), hours(24, 30));
        List<String> before = ledger.rectangles(pool);

        List<Place> places = ledger.database
                .inTransaction(connection -> ledger.changes
                        .move(connection, wanted(pool, 8), hours(15, 25), id, hour(5))
                        .compose(none -> connection.query("SELECT 1").execute().map(none)))
                .await();

        assertThat(places).isEmpty();
        assertThat(ledger.rectangles(pool)).isEqualTo(before);
    }

    @Test
    void nobodyWaitsForWhatWasMovedAway() {
        OwnPool pool = ledger.pool(1);
        String moved = ledger.booked(wanted(pool, 8), hours(10, 12));
        String next = ledger.booked(wanted(pool, 8), hours(12, 14));

        ledger.move(moved, wanted(pool, 8), hours(14, 16), hour(5)).await();

        assertThat(ledger.allocations.waitsForAnEarlierOne(next).await()).isFalse();
        assertThat(ledger.allocations.waitsForAnEarlierOne(moved).await()).isTrue();
    }

    // ---- more and fewer ---------------------------------------------------------------------------------------

    @Test
    void moreGpusAreHeldFromNowOnAndShownAsOneRun() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 2), hours(10, 20));

        assertThat(ledger.resize(id, wanted(pool, 6), hours(13, 20), hour(13)).await())
                .isTrue();

        assertThat(ledger.rectangles(pool)).containsExactly(pool.name() + "-1:0+2 10-20", pool.name() + "-1:2+4 13-20");
        assertThat(ledger.allocations.of(id).await())
                .singleElement()
                .satisfies(place -> assertThat(place.parts())
                        .extracting(Place.Part::firstGpu, Place.Part::gpus)
                        .containsExactly(org.assertj.core.groups.Tuple.tuple(0, 6)));
        assertThat(ledger.extend(id, hours(20, 22)).await()).isTrue();
        assertThat(ledger.rectangles(pool)).hasSize(4);
    }

    @Test
    void whatIsGivenUpIsFreeFromNowOnAndNoLaterStartWaitsForIt() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 8), hours(10, 20));

        assertThat(ledger.resize(id, wanted(pool, 3), hours(13, 20), hour(13)).await())
                .isTrue();

        assertThat(ledger.rectangles(pool)).containsExactly(pool.name() + "-1:0+3 10-20");
        String other = ledger.booked(wanted(pool, 5), hours(13, 20));
        assertThat(ledger.allocations.waitsForAnEarlierOne(other).await()).isFalse();
    }

    @Test
    void whatWasExtendedAndHasGrownShrinksInAllItsRectangles() {
        OwnPool pool = ledger.pool(2);
        String id = ledger.booked(wanted(pool, 4), hours(10, 12));
        ledger.extend(id, hours(12, 20)).await();
        ledger.resize(id, wanted(pool, 8), hours(13, 20), hour(13)).await();
        ledger.resize(id, wanted(pool, 16, false), hours(14, 20), hour(14)).await();
        assertThat(ledger.allocations.of(id).await()).extracting(Place::gpus).containsExactly(16);

        ledger.resize(id, wanted(pool, 2), hours(15, 20), hour(15)).await();

        assertThat(ledger.rectangles(pool)).containsExactly(pool.name() + "-1:0+2 10-12", pool.name() + "-1:0+2 12-20");
    }

    @Test
    void growingIntoANeighbourOrAnOutageChangesNothing() {
        OwnPool pool = ledger.pool(1);
        String id = ledger.booked(wanted(pool, 2), hours(10, 20));
        ledger.booked(wanted(pool, 3), hours(18, 25));
        ledger.outage(pool.nodes().get(0), 7, 1, hours(0, 100));
        List<String> before = ledger.rectangles(pool);

        assertThat(ledger.resize(id, wanted(pool, 5), hours(13, 20), hour(13)).await())
                .isFalse();

        assertThat(ledger.rectangles(pool)).isEqualTo(before);
        assertThat(ledger.resize(id, wanted(pool, 4), hours(13, 20), hour(13)).await())
                .isTrue();
    }

    /** Nothing is ever oversold, whoever changes what at the same moment. */
    @Test
    void changesInAnyOrderAtTheSameMomentNeverOverlap() {
        for (long seed = 1; seed <= 6; seed++) {
            Random random = new Random(seed);
            OwnPool pool = ledger.pool("A100", 2, Duration.ofMinutes(random.nextInt(2) * 60L));
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String id = ledger.reservation();
                long from = random.nextInt(20);
                ledger.place(id, wanted(pool, 1 + random.nextInt(4)), hours(from, from + 3 + random.nextInt(6)))
                        .await();
                ids.add(id);
            }
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                String id = ids.get(random.nextInt(ids.size()));
                long from = random.nextInt(25);
                all.add(
                        switch (random.nextInt(4)) {
                            case 0 ->
                                ledger.move(id, wanted(pool, 1 + random.nextInt(8)), hours(from, from + 5), hour(0));
                            case 1 ->
                                ledger.resize(
                                        id, wanted(pool, 1 + random.nextInt(8)), hours(from, from + 4), hour(from));
                            case 2 -> ledger.extend(id, hours(from, from + 2));
                            default ->
                                ledger.place(
                                        ledger.reservation(),
                                        wanted(pool, 1 + random.nextInt(8)),
                                        hours(from, from + 2));
                        });
            }
            Future.join(all).transform(done -> Future.succeededFuture()).await();

            assertThat(ledger.overlaps()).as("seed %d", seed).isEmpty();
        }
    }
}
