package dev.gpubroker.adapter.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.adapter.contract.ManualClock;
import dev.gpubroker.adapter.contract.SimulatedAccount;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.simulator.Fault;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.aws.AwsSimulatorFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From the purchase to the end of the window, where blocks differ from what other platforms sell. */
final class AwsBlockLifeTest {
    private static final Flavor A100 = new Flavor("A100-SXM4-40GB", 8);
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final Window WANTED =
            new Window(Instant.parse("2026-11-20T02:00:00Z"), Instant.parse("2026-11-25T02:00:00Z"));
    private static final Instant BLOCK_END = Instant.parse("2026-11-25T11:30:00Z");

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-01T02:00:00Z"));
    private SimulatedAccount account;

    @BeforeEach
    void start() {
        account = new SimulatedAccount(new AwsAdapterFactory(), new AwsSimulatorFactory(), clock);
        account.simulator().setStock("A100-SXM4-40GB", 8, 4);
    }

    @AfterEach
    void stop() {
        account.close();
    }

    @Test
    void aBlockIsPendingUntilPaidThenSecuredUntilSomethingIsLaunched() {
        PlatformRef ref = bought(KEY, 1);

        assertThat(phase(ref)).isEqualTo(Phase.PENDING);
        clock.advance(Duration.ofMinutes(2));
        assertThat(phase(ref)).isEqualTo(Phase.SECURED);
        clock.set(WANTED.start());
        assertThat(phase(ref)).isEqualTo(Phase.SECURED);
        assertThat(adapter().status(ref).window())
                .isEqualTo(new Window(Instant.parse("2026-11-19T11:30:00Z"), BLOCK_END));
        clock.set(BLOCK_END);
        assertThat(phase(ref)).isEqualTo(Phase.GONE);
    }

    @Test
    void aLaunchIsRefusedForNowWhileTheBlockIsNotActive() {
        PlatformRef ref = bought(KEY, 1);
        clock.advance(Duration.ofMinutes(3));

        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter().launch(ref, request(KEY, offer(1), 1, null)));

        assertThat(fault).isNotNull();
        assertThat(fault.isRetryable()).isTrue();
        assertThat(adapter().status(ref).machines()).isEmpty();
    }

    @Test
    void theSameLaunchTwiceIsOneLaunch() {
        ClaimRequest request = request(KEY, offer(2), 2, null);
        PlatformRef ref = ((ClaimOutcome.Accepted) adapter().claim(request)).ref();
        clock.set(WANTED.start());

        ClaimOutcome first = adapter().launch(ref, request);
        ClaimOutcome second = adapter().launch(ref, request);

        assertThat(first).isInstanceOf(ClaimOutcome.Claimed.class).isEqualTo(second);
        PlatformRef running = ((ClaimOutcome.Claimed) first).ref();
        assertThat(running.ids()).hasSize(3).startsWith(ref.ids().get(0));
        clock.advance(Duration.ofMinutes(2));
        assertThat(adapter().status(running).machines()).hasSize(2).allSatisfy(machine -> {
            assertThat(machine.phase()).isEqualTo(Phase.RUNNING);
            assertThat(machine.endpoint()).isNotNull();
        });
        assertThat(account.simulator().nodesTaken()).isEqualTo(2);
    }

    @Test
    void machinesOfALaunchWhoseAnswerWasLostAreSeenAndReleasedThroughTheBlock() {
        ClaimRequest request = request(KEY, offer(1), 1, null);
        PlatformRef blockOnly = ((ClaimOutcome.Accepted) adapter().claim(request)).ref();
        clock.set(WANTED.start());
        adapter().launch(blockOnly, request);

        assertThat(phase(blockOnly)).isEqualTo(Phase.STARTING);
        assertThat(adapter().release(blockOnly)).isInstanceOf(ReleaseProgress.InProgress.class);
        clock.advance(Duration.ofMinutes(2));
        assertThat(adapter().release(blockOnly)).isEqualTo(new ReleaseProgress.Gone());
        assertThat(phase(blockOnly)).isEqualTo(Phase.GONE);
        assertThat(account.simulator().nodesTaken()).isZero();
    }

    @Test
    void releasedMachinesStayGoneWhenEc2NoLongerShowsThem() {
        ClaimRequest request = request(KEY, offer(1), 1, null);
        PlatformRef ref = ((ClaimOutcome.Accepted) adapter().claim(request)).ref();
        clock.set(WANTED.start());
        ref = ((ClaimOutcome.Claimed) adapter().launch(ref, request)).ref();
        adapter().release(ref);

        clock.advance(Duration.ofHours(3));

        assertThat(adapter().release(ref)).isEqualTo(new ReleaseProgress.Gone());
        assertThat(phase(ref)).isEqualTo(Phase.GONE);
    }

    @Test
    void aBlockThatWasNeverUsedIsReleasedAtOnceAndStaysBoughtToItsEnd() {
        PlatformRef ref = bought(KEY, 1);

        assertThat(adapter().release(ref)).isEqualTo(new ReleaseProgress.Gone());

        assertThat(rows()).singleElement().matches(SimInstance::isLive);
        clock.set(BLOCK_END.plus(Duration.ofDays(9)));
        assertThat(rows()).singleElement().satisfies(row -> {
            assertThat(row.releasedAt()).isEqualTo(BLOCK_END);
            assertThat(row.state()).isEqualTo("expired");
        });
    }

    @Test
    void machinesAreTakenAwayHalfAnHourBeforeTheEnd() {
        ClaimRequest request = request(KEY, offer(1), 1, null);
        PlatformRef ref = ((ClaimOutcome.Accepted) adapter().claim(request)).ref();
        clock.set(WANTED.start());
        ref = ((ClaimOutcome.Claimed) adapter().launch(ref, request)).ref();

        clock.set(BLOCK_END.minus(Duration.ofMinutes(30)).minusSeconds(1));
        assertThat(phase(ref)).isEqualTo(Phase.RUNNING);
        clock.set(BLOCK_END.minus(Duration.ofMinutes(30)));
        assertThat(phase(ref)).isEqualTo(Phase.ENDING);
        clock.set(BLOCK_END);
        assertThat(rows().get(0).releasedAt()).isEqualTo(BLOCK_END.minus(Duration.ofMinutes(29)));
    }

    @Test
    void aPaymentThatNeverArrivesEndsFailedAndGivesTheDaysBack() {
        account.simulator().setStock("A100-SXM4-40GB", 8, 1);
        Offer offer = offer(1);
        account.simulator().addFault(new Fault("claim", Fault.Kind.ERROR, 1, Duration.ZERO, "payment-failed"));
        PlatformRef ref = ((ClaimOutcome.Accepted) adapter().claim(request(KEY, offer, 1, null))).ref();

        clock.advance(Duration.ofHours(11));
        assertThat(phase(ref)).isEqualTo(Phase.PENDING);
        assertThat(offers(1).available()).isEmpty();
        clock.advance(Duration.ofHours(2));
        assertThat(phase(ref)).isEqualTo(Phase.FAILED);
        assertThat(offers(1).available()).isNotEmpty();
        assertThat(account.simulator().nodesTaken()).isZero();
        assertThat(adapter().list("inst0001")).isEmpty();
    }

    @Test
    void twoPurchasesUnderOneKeyAreFoundAndReleasedTogether() {
        Offer offer = offer(1);
        adapter().claim(request(KEY, offer, 1, null));
        adapter().claim(request(KEY, offer, 1, null));

        Finding.Found found = (Finding.Found) adapter().find(KEY);

        assertThat(found.ref().ids()).hasSize(2).allMatch(id -> id.startsWith("cr-"));
        assertThat(found.status().phase()).isEqualTo(Phase.PENDING);
        assertThat(adapter().list("inst0001")).hasSize(2);
        assertThat(adapter().release(found.ref())).isEqualTo(new ReleaseProgress.Gone());
    }

    @Test
    void aLongListIsReadToItsEnd() {
        account.simulator().setStock("A100-SXM4-40GB", 8, 60);
        Offer offer = offer(1);
        for (int n = 0; n < 30; n++) {
            adapter().claim(request(new ClaimKey("gb-inst0001-rsv00000001-" + n + "-aaaaaa"), offer, 1, null));
        }

        assertThat(adapter().list("inst0001")).hasSize(30);
    }

    @Test
    void aClaimAboveItsLimitBuysNothing() {
        ClaimOutcome outcome = adapter().claim(request(KEY, offer(1), 1, Money.of("2123.99", "USD")));

        assertThat(outcome).isInstanceOf(ClaimOutcome.Refused.class);
        assertThat(((ClaimOutcome.Refused) outcome).reason()).isEqualTo(Reason.TOO_EXPENSIVE);
        assertThat(rows()).isEmpty();
        assertThat(adapter().claim(request(KEY, offer(1), 1, Money.of("2124.00", "USD"))))
                .isInstanceOf(ClaimOutcome.Accepted.class);
    }

    @Test
    void severalTypesAreAskedTogetherAndOneThatFailsIsNamed() {
        account.simulator().addFault(new Fault("stock", Fault.Kind.ERROR, 1, Duration.ZERO, "InternalError"));
        Flavor h200 = new Flavor("H200-SXM-141GB", 8);

        Offers offers = adapter().offers(new OfferQuery(List.of(new Ask(A100, 1), new Ask(h200, 1)), WANTED, Set.of()));

        assertThat(offers.missing())
                .singleElement()
                .satisfies(missing -> assertThat(missing.reason()).isEqualTo(Reason.PLATFORM_UNAVAILABLE));
        assertThat(offers.available())
                .extracting(Offer::sku)
                .doesNotContain(offers.missing().get(0).sku());
        assertThat(offers.available().stream().map(Offer::sku).distinct()).hasSize(2);
    }

    @Test
    void aWindowThatNoBlockCanCoverIsNamedAsSuch() {
        Window past = Window.of(clock.instant().minus(Duration.ofHours(1)), Duration.ofDays(1));

        assertThat(adapter()
                        .offers(new OfferQuery(List.of(new Ask(A100, 1)), past, Set.of()))
                        .missing())
                .extracting(Offers.Missing::reason)
                .containsExactly(Reason.WINDOW_UNSUPPORTED);
    }

    @Test
    void aWindowThatBeginsWithinTheHourIsCoveredByABlockThatBeginsAtOnce() {
        Window soon = Window.of(clock.instant().plus(Duration.ofHours(1)), Duration.ofDays(1));

        List<Offer> offers = adapter()
                .offers(new OfferQuery(List.of(new Ask(A100, 1)), soon, Set.of()))
                .available();

        assertThat(offers).isNotEmpty().allMatch(offer -> AwsMapping.covers(offer, soon));
        assertThat(offers.get(0).window())
                .isEqualTo(new Window(clock.instant(), Instant.parse("2026-11-02T11:30:00Z")));
    }

    @Test
    void aLongWindowIsCoveredByWholeWeeks() {
        Window long17 = Window.of(WANTED.start(), Duration.ofDays(17));

        List<Offer> offers = adapter()
                .offers(new OfferQuery(List.of(new Ask(A100, 1)), long17, Set.of()))
                .available();

        assertThat(offers).isNotEmpty().allMatch(offer -> AwsMapping.covers(offer, long17));
    }

    private AwsAdapter adapter() {
        return (AwsAdapter) account.adapter();
    }

    private Phase phase(PlatformRef ref) {
        ClaimStatus status = adapter().status(ref);
        return status.phase();
    }

    private List<SimInstance> rows() {
        return account.simulator().instances();
    }

    private Offers offers(int nodes) {
        return adapter().offers(new OfferQuery(List.of(new Ask(A100, nodes)), WANTED, Set.of()));
    }

    private Offer offer(int nodes) {
        return offers(nodes).available().get(0);
    }

    private PlatformRef bought(ClaimKey key, int nodes) {
        return ((ClaimOutcome.Accepted) adapter().claim(request(key, offer(nodes), nodes, null))).ref();
    }

    private static ClaimRequest request(ClaimKey key, Offer offer, int nodes, @Nullable Money most) {
        return new ClaimRequest(
                key, "inst0001", offer, nodes, WANTED, AwsMapping.BILLING, null, MachineSpec.standard(), most);
    }
}
