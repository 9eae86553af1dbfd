package dev.gpubroker.broker.lease;

import static dev.gpubroker.broker.lease.Leases.inside;
import static dev.gpubroker.broker.lease.Leases.model;
import static dev.gpubroker.broker.lease.Leases.of;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.allocation.OwnPool;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.http.ApiProblem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases against the real ledger: who gets GPUs when, and when they end. */
@SuppressWarnings("NullAway.Init") // Made before each test.
class LeasesTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private TestDatabase database;
    private Leases leases;

    @BeforeEach
    void start() {
        database = TestDatabase.create();
        leases = new Leases(database);
    }

    @AfterEach
    void stop() {
        leases.watch.close();
        database.close();
    }

    // ---- races ----------------------------------------------------------------------------------------------------

    @Test
    void twentyJobsAtOnceForTheLastEightGpusOneHoldsThemAndNineteenWait() {
        try (Database second = database.anotherBroker()) {
            Leases other = new Leases(database, second);
            OwnPool pool = leases.pool(1);
            List<Future<Lease>> asked = IntStream.range(0, 20)
                    .mapToObj(i -> (i % 2 == 0 ? leases : other).asking(of(pool, 8)))
                    .toList();
            Future.join(new ArrayList<>(asked)).await();
            leases.settle();

            assertThat(asked).allMatch(Future::succeeded);
            List<LeaseState> states =
                    asked.stream().map(each -> leases.state(each.result())).toList();
            assertThat(states).filteredOn(LeaseState.HELD::equals).hasSize(1);
            assertThat(states).filteredOn(LeaseState.QUEUED::equals).hasSize(19);
            assertThat(leases.overlaps()).isEmpty();
            other.watch.close();
        }
    }

    @Test
    void jobsOfOneGpuEachShareAReservationAndNeverAGpu() {
        try (Database second = database.anotherBroker()) {
            Leases other = new Leases(database, second);
            String reservation = leases.reservation(leases.pool(1), 2, 4, HOUR);
            List<Future<Lease>> asked = IntStream.range(0, 12)
                    .mapToObj(i -> (i % 2 == 0 ? leases : other).asking(inside(reservation, 1)))
                    .toList();
            Future.join(new ArrayList<>(asked)).await();
            leases.settle();

            List<Lease> held = asked.stream()
                    .map(each -> leases.read(each.result()))
                    .filter(each -> each.state() == LeaseState.HELD)
                    .toList();
            assertThat(held)
                    .extracting(leases::gpus)
                    .containsExactlyInAnyOrder("[1:[2]]", "[1:[3]]", "[1:[4]]", "[1:[5]]");
            other.watch.close();
        }
    }

    @Test
    void noLeaseReachesBeyondAReservationThatIsCutWhileItIsGranted() {
        try (Database second = database.anotherBroker()) {
            Leases other = new Leases(database, second);
            for (int round = 0; round < 20; round++) {
                String reservation = leases.reservation(leases.pool(1), 0, 8, HOUR.multipliedBy(2));
                Instant cut = leases.now().plus(MINUTE);
                Future<Lease> asked = leases.asking(inside(reservation, 8));
                Future<Void> shrunk = other.database.inTransaction(connection -> other.reservations
                        .truncate(connection, reservation, cut)
                        .compose(done -> connection
                                .preparedQuery(
                                        "UPDATE reservation SET during = tstzrange(lower(during), $2) WHERE reservation_id = $1")
                                .execute(io.vertx.sqlclient.Tuple.of(
                                        reservation, dev.gpubroker.broker.stored.PgTime.of(cut))))
                        .mapEmpty());
                Future.join(asked, shrunk).await();

                assertThat(leases.database
                                .pool()
                                .query(
                                        "SELECT count(*) AS n FROM allocation a JOIN reservation r USING (reservation_id)"
                                                + " WHERE a.live AND a.layer = 1 AND upper(a.during) > upper(r.during)")
                                .execute()
                                .await()
                                .iterator()
                                .next()
                                .getLong("n"))
                        .as("round %d", round)
                        .isZero();
            }
            other.watch.close();
        }
    }

    // ---- the line ---------------------------------------------------------------------------------------------------

    @Test
    void whatIsGivenBackGoesDownTheLineInOrder() {
        OwnPool pool = leases.pool(1);
        Lease first = leases.ask(of(pool, 8));
        Lease second = leases.ask(of(pool, 8));
        Lease third = leases.ask(of(pool, 8));
        assertThat(leases.store.position(second).await()).isEqualTo(1);
        assertThat(leases.store.position(third).await()).isEqualTo(2);

        leases.end(first);

        assertThat(leases.state(second)).isEqualTo(LeaseState.HELD);
        assertThat(leases.state(third)).isEqualTo(LeaseState.QUEUED);
        assertThat(leases.store.position(third).await()).isEqualTo(1);
    }

    @Test
    void whoFitsGoesBeforeWhoDoesNotButOnlySoOften() {
        OwnPool pool = leases.pool(1);
        Lease holder = leases.ask(of(pool, 4));
        Lease large = leases.ask(of(pool, 8));
        List<LeaseState> small = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Lease lease = leases.ask(of(pool, 1));
            small.add(leases.state(lease));
            leases.end(lease);
        }
        // Policy.standard() lets five go before.
        assertThat(small.subList(0, 5)).containsOnly(LeaseState.HELD);
        assertThat(small.subList(5, 8)).containsOnly(LeaseState.QUEUED);

        leases.end(holder);
        assertThat(leases.state(large)).isEqualTo(LeaseState.HELD);
    }

    /** Else somebody behind would get what came free after the turn of those in front. */
    @Test
    void inAWalkDuringWhichAnotherIsAskedForOnlyTheFirstIsGivenAnything() {
        OwnPool pool = leases.pool(1);
        Lease holder = leases.ask(of(pool, 6));
        Lease large = leases.ask(of(pool, 8));
        leases.pass(Duration.ofSeconds(1));
        Lease small = leases.asking(of(pool, 1)).await(); // Fits, and nobody has walked the line yet.

        leases.walkWhileAnotherIsAskedFor();
        assertThat(leases.state(small)).isEqualTo(LeaseState.QUEUED);
        assertThat(leases.gpus(small)).isEqualTo("[]");
        leases.settle();
        assertThat(leases.state(small)).isEqualTo(LeaseState.HELD);

        leases.end(small);
        leases.service.end(Leases.TEAM, "ci", holder.id()).await();
        leases.walkWhileAnotherIsAskedFor();
        assertThat(leases.state(large)).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aWithdrawnOneLeavesItsPlaceToTheNext() {
        OwnPool pool = leases.pool(1);
        Lease holder = leases.ask(of(pool, 8));
        Lease impatient = leases.ask(of(pool, 8));
        Lease next = leases.ask(of(pool, 8));
        leases.end(impatient);
        leases.end(holder);

        assertThat(leases.state(impatient)).isEqualTo(LeaseState.RELEASED);
        assertThat(leases.state(next)).isEqualTo(LeaseState.HELD);
    }

    /** J-04. */
    @Test
    void aPoolThatIsNewServesThoseWhoWaitForItsModel() {
        Lease waiting = leases.ask(model("A100", 8));
        assertThat(waiting.state()).isEqualTo(LeaseState.QUEUED);

        OwnPool made = leases.pool(1);
        leases.settle();

        assertThat(leases.state(waiting)).isEqualTo(LeaseState.HELD);
        assertThat(leases.ask(of(made, 1)).state()).isEqualTo(LeaseState.QUEUED);
    }

    @Test
    void aModelIsServedByReservationsThatLetLeasesInBeforePoolsAre() {
        OwnPool pool = leases.pool(2);
        String own = leases.reservation(pool, 0, 4, HOUR.multipliedBy(3));
        leases.run("UPDATE reservation SET labels = '{\"leases\":\"any\"}' WHERE reservation_id = $1", own);

        Lease inside = leases.ask(model("A100", 4));
        Lease outside = leases.ask(model("A100-SXM4-80GB", 4));

        assertThat(inside.life().reservation()).isEqualTo(own);
        assertThat(outside.state()).isEqualTo(LeaseState.HELD);
        assertThat(outside.life().reservation()).isNull();
    }

    @Test
    void aModelLeaseIsNotPutWhereItWouldBeCutShortAndNotWhereNobodyLetItIn() {
        OwnPool pool = leases.pool(1);
        String closed = leases.reservation(pool, 0, 4, HOUR.multipliedBy(3));
        String ending = leases.reservation(pool, 4, 4, HOUR.dividedBy(2));
        leases.run("UPDATE reservation SET labels = '{\"leases\":\"any\"}' WHERE reservation_id = $1", ending);

        assertThat(leases.ask(model("A100", 2)).state()).isEqualTo(LeaseState.QUEUED);
        assertThat(leases.ask(inside(closed, 2)).state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void exactModelsAreNotServedByAPoolThatLeavesTheVariantOpen() {
        leases.pool("A100", 1);
        assertThat(leases.ask(model("A100-SXM4-80GB", 1)).state()).isEqualTo(LeaseState.QUEUED);
        assertThat(leases.ask(model("A100", 1)).state()).isEqualTo(LeaseState.HELD);
    }

    // ---- what is free
    // -------------------------------------------------------------------------------------------------

    @Test
    void poolGpusAreLeasedOnlyIfNobodyBookedThemUntilTheLeasesEnd() {
        OwnPool pool = leases.pool(1);
        Instant now = leases.now();
        leases.taken(pool, 0, 0, 4, now.plus(Duration.ofMinutes(30)), now.plus(HOUR));
        leases.taken(pool, 2, 4, 2, now.plus(Duration.ofMinutes(59)), now.plus(HOUR.multipliedBy(9)));

        assertThat(leases.gpus(leases.ask(of(pool, 2)))).isEqualTo("[1:[6, 7]]");
        assertThat(leases.ask(of(pool, 1)).state()).isEqualTo(LeaseState.QUEUED);
    }

    @Test
    void scatteredGpusServeAndAreNamedExactly() {
        String reservation = leases.reservation(leases.pool(1), 0, 4, HOUR);
        List<Lease> ones = IntStream.range(0, 4)
                .mapToObj(i -> leases.ask(inside(reservation, 1)))
                .toList();
        leases.end(ones.get(0));
        leases.end(ones.get(2));

        assertThat(leases.gpus(leases.ask(inside(reservation, 2)))).isEqualTo("[1:[0, 2]]");
    }

    @Test
    void whatCanNeverFitIsRefusedInsteadOfWaitingForEver() {
        OwnPool pool = leases.pool(2);
        String reservation = leases.reservation(pool, 0, 4, HOUR);

        assertRefused(of(pool, 12), "lease_impossible");
        assertRefused(inside(reservation, 5), "lease_impossible");
        assertRefused(inside("rsv_nobody", 1), "not_found");
        assertRefused(model("A1000", 1), "unknown_model");
        assertRefused(new LeaseBody(null, pool.name(), "A100", 1, null, null, null, null), "invalid_request");
        assertRefused(new LeaseBody(null, pool.name(), null, 1, "PT1S", null, "P1Y", null), "invalid_request");
    }

    @Test
    void whoDoesNotWantToWaitIsRefusedAndNothingIsStored() {
        OwnPool pool = leases.pool(1);
        leases.ask(of(pool, 8));
        assertRefused(new LeaseBody(null, pool.name(), null, 8, null, null, "PT0S", null), "no_capacity");
        assertThat(leases.store
                        .list(new LeaseStore.Filter(Leases.TEAM, java.util.Set.of(), null, null, null, null, 9))
                        .await())
                .hasSize(1);
    }

    /** Somebody who waits for other GPUs, or for a date, is in nobody's way; who waits for the same ones is. */
    @Test
    void whoDoesNotWantToWaitIsRefusedOnlyIfTheVeryGpusAreWaitedFor() {
        OwnPool pool = leases.pool(2);
        LeaseBody atOnce = new LeaseBody(null, pool.name(), null, 1, null, "PT1H", "PT0S", null);
        leases.waitingReservation("H100", null);
        leases.waitingReservation("A100", "in_stock");
        assertThat(leases.ask(atOnce).state()).isEqualTo(LeaseState.HELD);

        leases.waitingReservation("A100", "sold_out");
        assertRefused(atOnce, "no_capacity");
    }

    @Test
    void aPlaceCountsReservationsThatAskForTheSameGpusByAnotherName() {
        OwnPool pool = leases.pool(1);
        leases.ask(of(pool, 8));
        leases.waitingReservation("A100", null);
        leases.waitingReservation("H100", null);
        Lease last = leases.ask(of(pool, 8));

        assertThat(leases.store.position(last).await()).isEqualTo(2);
    }

    @Test
    void anotherTeamsLeaseIsNotThere() {
        Lease lease = leases.ask(of(leases.pool(1), 1));
        List<Future<?>> foreign = List.of(
                leases.service.read("stranger", lease.id()),
                leases.service.await("stranger", lease.id(), MINUTE),
                leases.service.beat("stranger", lease.id()),
                leases.service.end("stranger", "eve", lease.id()));
        for (Future<?> each : foreign) {
            assertThatThrownBy(each::await)
                    .isInstanceOfSatisfying(
                            ApiProblem.class,
                            refused -> assertThat(refused.problem().code()).isEqualTo("not_found"));
        }
        assertThat(leases.state(lease)).isEqualTo(LeaseState.HELD);
    }

    private void assertRefused(LeaseBody body, String code) {
        assertThatThrownBy(() -> leases.ask(body))
                .isInstanceOfSatisfying(
                        ApiProblem.class,
                        refused -> assertThat(refused.problem().code()).isEqualTo(code));
    }

    // ---- silence and ends
    // -----------------------------------------------------------------------------------------------

    /** J-02. */
    @Test
    void aJobThatIsKilledGoesStaleAndItsGpusGoToTheNextAfterTheGrace() {
        OwnPool pool = leases.pool(1);
        Lease killed = leases.ask(of(pool, 8));
        Lease next = leases.ask(of(pool, 8));

        leases.pass(Duration.ofSeconds(118));
        assertThat(leases.state(killed)).isEqualTo(LeaseState.HELD);
        leases.pass(Duration.ofSeconds(2));
        assertThat(leases.state(killed)).isEqualTo(LeaseState.STALE);
        assertThat(leases.state(next)).isEqualTo(LeaseState.QUEUED);
        leases.pass(Duration.ofMinutes(2));

        assertThat(leases.state(killed)).isEqualTo(LeaseState.RELEASED);
        assertThat(leases.read(killed).life().why()).contains("not heard of since");
        assertThat(leases.state(next)).isEqualTo(LeaseState.HELD);
    }

    @Test
    void heartbeatsKeepALeaseAndBringAStaleOneBack() {
        OwnPool pool = leases.pool(1);
        Lease lease = leases.ask(of(pool, 8));
        for (int i = 0; i < 20; i++) {
            leases.pass(Duration.ofSeconds(100));
            leases.beat(lease);
        }
        assertThat(leases.state(lease)).isEqualTo(LeaseState.HELD);

        leases.pass(Duration.ofSeconds(150));
        assertThat(leases.state(lease)).isEqualTo(LeaseState.STALE);
        leases.beat(lease);
        leases.pass(Duration.ofSeconds(110));
        assertThat(leases.state(lease)).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aJobWhoseLeaseHasEndedIsToldSoByItsNextHeartbeat() {
        Lease lease = leases.ask(of(leases.pool(1), 8));
        leases.end(lease);
        assertThatThrownBy(() -> leases.beat(lease)).isInstanceOf(LeaseService.LeaseEnded.class);
    }

    /** J-01. */
    @Test
    void aJobThatHasWaitedLongEnoughTimesOutAndIsGrantedNothingAfterwards() {
        OwnPool pool = leases.pool(1);
        Lease holder = leases.ask(of(pool, 8));
        Lease waiting = leases.ask(new LeaseBody(null, pool.name(), null, 8, "PT1H", "PT1H", "PT30M", null));
        for (int i = 0; i < 30; i++) {
            leases.pass(MINUTE);
            leases.beat(holder);
        }
        assertThat(leases.state(waiting)).isEqualTo(LeaseState.TIMED_OUT);
        leases.end(holder);
        assertThat(leases.state(waiting)).isEqualTo(LeaseState.TIMED_OUT);
        assertThat(leases.gpus(waiting)).isEqualTo("[]");
    }

    /** J-08. */
    @Test
    void waitingDoesNotCountAgainstTheTimeThatAJobMayRun() {
        OwnPool pool = leases.pool(1);
        Lease holder = leases.ask(new LeaseBody(null, pool.name(), null, 8, "PT1H", "PT50M", "PT2H", null));
        Lease waiting = leases.ask(new LeaseBody(null, pool.name(), null, 8, "PT1H", "PT1H", "PT2H", null));
        leases.pass(Duration.ofMinutes(50));
        assertThat(leases.state(holder)).isEqualTo(LeaseState.EXPIRED);

        Lease granted = leases.read(waiting);
        assertThat(granted.state()).isEqualTo(LeaseState.HELD);
        assertThat(granted.life().endsAt())
                .isEqualTo(java.util.Objects.requireNonNull(granted.life().heldAt())
                        .plus(HOUR));
        leases.pass(Duration.ofMinutes(58));
        assertThat(leases.state(waiting)).isEqualTo(LeaseState.HELD);
        leases.pass(Duration.ofMinutes(2));
        assertThat(leases.state(waiting)).isEqualTo(LeaseState.EXPIRED);
    }

    // ---- inside a reservation
    // --------------------------------------------------------------------------------------------

    @Test
    void aLeaseEndsWithItsReservationAndGoesOnWithItWhenThatIsExtended() {
        String reservation = leases.reservation(leases.pool(1), 0, 8, Duration.ofMinutes(30));
        LeaseBody patient = new LeaseBody(reservation, null, null, 8, "PT1H", "PT2H", "PT2H", null);
        Lease lease = leases.ask(patient);
        Instant end = java.util.Objects.requireNonNull(leases.read(lease).life().endsAt());
        assertThat(end).isEqualTo(leases.now().minusSeconds(1).plus(Duration.ofMinutes(30)));

        until(reservation, end.plus(HOUR));
        assertThat(leases.read(lease).life().endsAt()).isEqualTo(end.plus(HOUR));

        until(reservation, end.minus(MINUTE));
        assertThat(leases.read(lease).life().endsAt()).isEqualTo(end.minus(MINUTE));
        leases.pass(Duration.ofMinutes(29));
        assertThat(leases.state(lease)).isEqualTo(LeaseState.EXPIRED);
    }

    private void until(String reservation, Instant end) {
        leases.run(
                "UPDATE reservation SET during = tstzrange(lower(during), $2) WHERE reservation_id = $1",
                reservation,
                dev.gpubroker.broker.stored.PgTime.of(end));
        changed();
    }

    private void changed() {
        leases.run("INSERT INTO due_work (kind, subject, due_at) VALUES ('lease_line', 'all', now())"
                + " ON CONFLICT DO NOTHING");
        leases.settle();
    }

    @Test
    void aLeaseWhoseReservationLosesItsGpusOrEndsIsOver() {
        String reservation = leases.reservation(leases.pool(1), 0, 8, HOUR.multipliedBy(4));
        Lease low = leases.ask(inside(reservation, 4));
        Lease high = leases.ask(inside(reservation, 4));
        Lease waiting = leases.ask(inside(reservation, 4));
        leases.run(
                "UPDATE reservation SET assignment = jsonb_set(assignment, '{0,gpus}', '4') WHERE reservation_id = $1",
                reservation);
        changed();
        assertThat(leases.state(low)).isEqualTo(LeaseState.HELD);
        assertThat(leases.state(high)).isEqualTo(LeaseState.EXPIRED);
        assertThat(leases.state(waiting)).isEqualTo(LeaseState.QUEUED);

        leases.run(
                "UPDATE reservation SET state = 'releasing', ending = 'completed' WHERE reservation_id = $1",
                reservation);
        changed();
        assertThat(leases.state(low)).isEqualTo(LeaseState.EXPIRED);
        assertThat(leases.state(waiting)).isEqualTo(LeaseState.EXPIRED);
    }

    /** In the transaction that gives the GPUs up: whoever gets them next must not find a lease there. */
    @Test
    void gpusThatAReservationGivesUpAreNotLeasedAnyMoreFromThatMomentOn() {
        OwnPool pool = leases.pool(1);
        String reservation = leases.reservation(pool, 0, 8, HOUR.multipliedBy(4));
        Lease low = leases.ask(inside(reservation, 4));
        Lease high = leases.ask(inside(reservation, 4));

        leases.shrink(reservation, pool, 6, HOUR.multipliedBy(4));

        assertThat(leases.live(low)).isEqualTo(1);
        assertThat(leases.live(high)).isZero();
        changed();
        assertThat(leases.state(low)).isEqualTo(LeaseState.HELD);
        assertThat(leases.state(high)).isEqualTo(LeaseState.EXPIRED);
    }

    /** While a reservation is being cut nobody is granted anything in it: the grant waits for what is decided. */
    @Test
    void aLeaseIsNotGrantedInWhatIsJustBeingGivenUp() {
        OwnPool pool = leases.pool(1);
        String reservation = leases.reservation(pool, 0, 8, HOUR.multipliedBy(4));
        Promise<Void> mayCommit = Promise.promise();
        Promise<Void> given = Promise.promise();
        Future<Void> cut = leases.database.inTransaction(
                connection -> leases.shrinking(connection, reservation, pool, 4, HOUR.multipliedBy(4))
                        .onSuccess(done -> given.complete())
                        .compose(done -> mayCommit.future()));
        given.future().await();
        Future<Lease> asked = leases.asking(inside(reservation, 8));
        leases.untilSomebodyWaitsForALock();
        mayCommit.complete();
        cut.await();

        assertThat(asked.await().state()).isEqualTo(LeaseState.QUEUED);
        assertThat(leases.overlaps()).isEmpty();
    }

    @Test
    void whatIsLeasedAndOutOfOrderIsKeptAndNamed() {
        OwnPool pool = leases.pool(1);
        Lease direct = leases.ask(of(pool, 2));
        leases.outage(pool, 1, 1, "fan is loud");

        assertThat(leases.state(direct)).isEqualTo(LeaseState.HELD);
        assertThat(leases.hosts(direct).get(0).outage()).isEqualTo("fan is loud");
        leases.pass(HOUR.multipliedBy(2)); // Longer than it may be held.
        assertThat(leases.gpus(leases.ask(of(pool, 2)))).isEqualTo("[1:[2, 3]]");
    }

    @Test
    void aLeaseWaitsForAReservationThatHasNotBegun() {
        String reservation = leases.reservation(leases.pool(1), 0, 8, HOUR);
        leases.run("UPDATE reservation SET state = 'confirmed' WHERE reservation_id = $1", reservation);
        Lease early = leases.ask(inside(reservation, 8));
        assertThat(early.state()).isEqualTo(LeaseState.QUEUED);

        leases.run("UPDATE reservation SET state = 'active' WHERE reservation_id = $1", reservation);
        changed();
        assertThat(leases.state(early)).isEqualTo(LeaseState.HELD);
    }

    /** L-16: whether anybody uses a reservation is known from its leases, and only from them. */
    @Test
    void theLeasesOfAReservationSayWhetherItIsUsed() {
        OwnPool pool = leases.pool(2);
        String used = leases.reservation(pool, 0, 4, HOUR);
        String unused = leases.reservation(pool, 4, 4, HOUR);
        leases.end(leases.ask(inside(used, 1)));

        assertThat(ofReservation(used)).hasSize(1);
        assertThat(ofReservation(unused)).isEmpty();
    }

    private List<Lease> ofReservation(String reservation) {
        return leases.store
                .list(new LeaseStore.Filter(Leases.TEAM, java.util.Set.of(), reservation, null, null, null, 9))
                .await();
    }

    // ---- waiting without a thread
    // -----------------------------------------------------------------------------------------

    @Test
    void thoseWhoWaitAreToldOfAChangeByThisBrokerAtOnceAndByAnotherSoonAfter() {
        try (Database second = database.anotherBroker()) {
            Leases other = new Leases(database, second);
            OwnPool pool = leases.pool(1);
            Lease holder = leases.ask(of(pool, 8));
            Lease waiting = leases.ask(of(pool, 8));
            Future<Lease> here = leases.service.await(Leases.TEAM, waiting.id(), MINUTE);
            Future<Lease> there = other.service.await(Leases.TEAM, waiting.id(), MINUTE);

            leases.end(holder);

            assertThat(here.await().state()).isEqualTo(LeaseState.HELD);
            assertThat(there.await().state()).isEqualTo(LeaseState.HELD);
            other.watch.close();
        }
    }

    /** A thousand who wait take up nothing that others need, and one look a second is for all of them. */
    @Test
    void aThousandWhoWaitHoldNoConnection() {
        OwnPool pool = leases.pool(1);
        Lease holder = leases.ask(of(pool, 8));
        Lease waiting = leases.ask(of(pool, 8));
        List<Future<Boolean>> all = IntStream.range(0, 1_000)
                .mapToObj(i -> leases.watch.change(waiting.id(), LeaseState.QUEUED, MINUTE))
                .toList();

        leases.end(holder);

        Future.all(new java.util.ArrayList<>(all)).await();
        assertThat(all).allMatch(Future::result);
    }

    @Test
    void aBrokerThatStopsSendsThoseWhoWaitAway() {
        Lease holder = leases.ask(of(leases.pool(1), 8));
        Future<Boolean> waiting = leases.watch.change(holder.id(), LeaseState.HELD, HOUR);
        leases.watch.close();

        assertThat(waiting.await()).isFalse();
        assertThat(leases.watch.change(holder.id(), LeaseState.HELD, HOUR).await())
                .isFalse();
    }
}
