package dev.gpubroker.adapter.huawei;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.adapter.contract.ManualClock;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.SupportsBalance;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.simulator.Fault;
import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimStore;
import dev.gpubroker.simulator.SimulatedPlatform;
import dev.gpubroker.simulator.SimulatorServer;
import dev.gpubroker.simulator.huawei.HuaweiSimulatorFactory;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is peculiar to Huawei Cloud: jobs and pools that fail after they were taken on, batches that come up in part. */
class HuaweiLifeTest {
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final Flavor V100 = new Flavor("V100-SXM2-32GB", 8);
    private static final Flavor ASCEND = new Flavor("Ascend-910A", 8);

    private final ManualClock clock = new ManualClock(Claims.NOW);
    private final SimStore store = SimStore.inMemory();
    private final Vertx vertx = Vertx.vertx();
    private SimulatedPlatform simulator;
    private PlatformAdapter adapter;

    @BeforeEach
    void start() throws Exception {
        boot();
    }

    @AfterEach
    void stop() {
        adapter.close();
        vertx.close();
    }

    /** Starts a simulator on what the store holds, as after kill -9. */
    private void boot() throws Exception {
        simulator = new HuaweiSimulatorFactory().create(new SimEnvironment(store, clock, InstantSource.system()));
        adapter = Claims.adapter(
                SimulatorServer.start(vertx, simulator)
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(20, TimeUnit.SECONDS)
                        .url()
                        .toString(),
                Map.of(),
                clock);
    }

    // ---- servers ----------------------------------------------------------------------------------------

    @Test
    void aBatchThatCameUpInPartIsFailedAndGivenBackWhole() {
        simulator.setStock("V100-SXM2-32GB", 8, 1);
        PlatformRef ref = accepted(Claims.server(KEY, 3));
        clock.advance(Duration.ofMinutes(2));

        ClaimStatus status = adapter.status(ref);

        assertThat(status.phase()).isEqualTo(Phase.FAILED);
        assertThat(status.detail()).contains("Ecs.0319");
        assertThat(status.machines())
                .filteredOn(machine -> machine.failure() == Reason.SOLD_OUT)
                .hasSize(2);
        assertThat(live()).extracting(SimInstance::state).containsExactlyInAnyOrder("ACTIVE", "ERROR", "ERROR");
        giveBack(ref);
        assertThat(live()).isEmpty();
        assertThat(offers(V100).available())
                .as("its one machine is back in stock")
                .hasSize(1);
        assertThat(adapter.status(ref).phase())
                .as("why it failed is still told")
                .isEqualTo(Phase.FAILED);
    }

    @Test
    void aBatchWhoseReplyWasLostIsFoundAndGivenBackWhole() {
        simulator.addFault(Fault.once("claim", Fault.Kind.LOSE_REPLY));
        assertThat(adapter.claim(Claims.server(KEY, 2))).isEqualTo(new ClaimOutcome.Unknown(KEY));

        Finding.Found found = (Finding.Found) adapter.find(KEY);

        assertThat(found.status().phase()).as("its job is not known").isEqualTo(Phase.PENDING);
        assertThat(found.status().machines()).hasSize(2);
        clock.advance(Duration.ofMinutes(2));
        assertThat(adapter.status(found.ref()).phase()).isEqualTo(Phase.RUNNING);
        giveBack(found.ref());
        assertThat(live()).isEmpty();
        assertThat(adapter.status(found.ref()).phase()).isEqualTo(Phase.GONE);
    }

    @Test
    void aServerOfAFoundBatchThatShowsUpLaterBelongsToItToo() {
        simulator.addFault(Fault.once("claim", Fault.Kind.LOSE_REPLY));
        adapter.claim(Claims.server(KEY, 2));
        PlatformRef all = ((Finding.Found) adapter.find(KEY)).ref();
        PlatformRef seenFirst =
                new PlatformRef(all.region(), all.kind(), all.ids().subList(0, 2));

        assertThat(adapter.status(seenFirst).machines()).hasSize(2);
        giveBack(seenFirst);
        assertThat(live()).isEmpty();
    }

    @Test
    void aKeyTooLongForATagIsFoundAndListed() {
        ClaimKey key = new ClaimKey("gb-inst0001-01k9ayz5w8f7t8m2q6r4x3v1bc-1-1-7f3a09c2");
        accepted(Claims.server(key, 2));
        clock.advance(Duration.ofMinutes(2));

        assertThat(live()).extracting(SimInstance::key).containsOnly(key.text());
        assertThat(adapter.find(key)).isInstanceOf(Finding.Found.class);
        assertThat(adapter.list("inst0001")).extracting(Holding::key).containsExactly(key);
        assertThat(adapter.find(KEY)).isEqualTo(new Finding.NotListed());
    }

    @Test
    void aJobThatThePlatformHasForgottenLeavesTheServersToTell() {
        PlatformRef ref = accepted(Claims.server(KEY, 1));
        clock.advance(Duration.ofDays(3));

        assertThat(adapter.status(ref).phase()).isEqualTo(Phase.RUNNING);
        giveBack(ref);
        assertThat(adapter.status(ref).phase()).isEqualTo(Phase.GONE);
    }

    @Test
    void aTokenUsedWithOtherParametersIsNoSecondMachine() {
        accepted(Claims.server(KEY, 1));

        assertThat(adapter.claim(Claims.server(KEY, 2))).isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(live()).hasSize(1);
    }

    @Test
    void aRepeatedClaimGetsTheFirstAnswer() {
        assertThat(adapter.claim(Claims.server(KEY, 1))).isEqualTo(adapter.claim(Claims.server(KEY, 1)));
    }

    @Test
    void aServerEndsAtItsTimedEndNotWhenSomebodyLooks() {
        Instant end = Claims.NOW.plus(Duration.ofDays(5));
        ClaimRequest claim = Claims.server(KEY, 1);
        accepted(new ClaimRequest(
                claim.key(),
                claim.installation(),
                claim.offer(),
                1,
                claim.window(),
                claim.billing(),
                end,
                claim.machine(),
                null));

        clock.advance(Duration.ofDays(9));

        assertThat(simulator.instances()).singleElement().satisfies(machine -> {
            assertThat(machine.releasedAt()).isEqualTo(end);
            assertThat(machine.state()).isEqualTo("DELETED");
        });
    }

    @Test
    void disksAndAddressesGoWithTheServer() {
        PlatformRef ref = accepted(Claims.server(KEY, 1));
        giveBack(ref);

        assertThat(simulator.instances())
                .allSatisfy(
                        machine -> assertThat(machine.attribute("leftBehind")).isEmpty());
    }

    @Test
    void aRefusalAtOnceIsNamed() {
        simulator.addFault(new Fault("claim", Fault.Kind.ERROR, 1, Duration.ZERO, "Ecs.0001"));

        assertThat(adapter.claim(Claims.server(KEY, 1)))
                .isEqualTo(new ClaimOutcome.Refused(Reason.NO_QUOTA, "Ecs.0001: simulated fault"));
        assertThat(live()).isEmpty();
    }

    // ---- pools ------------------------------------------------------------------------------------------

    @Test
    void aPoolThatFindsTooFewNodesFailsAsSoldOutAndLeavesNothing() {
        simulator.setStock("Ascend-910A", 8, 1);
        PlatformRef ref = accepted(Claims.pool(KEY, 2));
        assertThat(adapter.status(ref).phase()).isEqualTo(Phase.PENDING);
        clock.advance(Duration.ofMinutes(2));

        ClaimStatus status = adapter.status(ref);

        assertThat(status.phase()).isEqualTo(Phase.FAILED);
        assertThat(status.machines()).extracting(ClaimStatus.Machine::failure).containsExactly(Reason.SOLD_OUT);
        giveBack(ref);
        assertThat(live()).isEmpty();
        assertThat(adapter.find(KEY)).isEqualTo(new Finding.NotListed());
    }

    @Test
    void aPoolWhoseNameIsTakenIsSettledBySearching() {
        PlatformRef first = accepted(Claims.pool(KEY, 1));

        assertThat(adapter.claim(Claims.pool(KEY, 1))).isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(((Finding.Found) adapter.find(KEY)).ref()).isEqualTo(first);
        assertThat(live()).hasSize(1);
    }

    @Test
    void anAccountWithoutANetworkIsToldSo() {
        try (PlatformAdapter bare = Claims.adapter("http://127.0.0.1:1", Map.of("networkName", ""), clock)) {
            PlatformFault fault = catchThrowableOfType(PlatformFault.class, () -> bare.claim(Claims.pool(KEY, 1)));

            assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.BAD_REQUEST);
            assertThat(fault).hasMessageContaining("networkName");
        }
    }

    // ---- both -------------------------------------------------------------------------------------------

    @Test
    void oneServiceThatDoesNotAnswerCostsOnlyItsOwnOffers() {
        simulator.addFault(new Fault("stock", Fault.Kind.ERROR, 1, Duration.ZERO, null));

        Offers offers =
                adapter.offers(new OfferQuery(List.of(new Ask(V100, 1), new Ask(ASCEND, 1)), window(), Set.of()));

        assertThat(offers.available())
                .isNotEmpty()
                .allMatch(offer -> offer.flavor().equals(ASCEND));
        assertThat(offers.missing()).isNotEmpty().allSatisfy(missing -> {
            assertThat(missing.flavor()).isEqualTo(V100);
            assertThat(missing.reason()).isEqualTo(Reason.PLATFORM_UNAVAILABLE);
        });
    }

    @Test
    void aFlavorThatIsNotListedIsNotOffered() {
        Offers offers = offers(new Flavor("V100-SXM2-16GB", 4)); // The simulated region has the sizes 1 and 8 only.

        assertThat(offers.available()).isEmpty();
        assertThat(offers.missing())
                .singleElement()
                .satisfies(missing -> assertThat(missing.reason()).isEqualTo(Reason.NOT_OFFERED));
    }

    @Test
    void aZoneThatIsSoldOutIsNotOffered() {
        assertThat(offers(V100).available())
                .singleElement()
                .satisfies(offer -> assertThat(offer.zone()).isEqualTo("cn-north-4b"));
    }

    @Test
    void whatIsFoundInOneServiceNeedsNoAnswerFromTheOther() {
        accepted(Claims.pool(KEY, 1));
        simulator.addFault(new Fault("find", Fault.Kind.ERROR, 1, Duration.ZERO, null)); // The servers.

        assertThat(adapter.find(KEY)).isInstanceOf(Finding.Found.class);
    }

    @Test
    void diskAndAddressArePricedAsProductsOfTheirOwn() {
        MachineSpec machine = new MachineSpec(null, List.of(), List.of(), null, 500, true);
        Price price = adapter.price(new PriceQuery(Claims.SERVER, 2, window(), machine))
                .get(0);

        assertThat(price.lines())
                .extracting(Price.Line::kind)
                .containsExactly(
                        LineKind.GPU, LineKind.SYSTEM_DISK, LineKind.DATA_DISK, LineKind.PUBLIC_IP, LineKind.BANDWIDTH);
        assertThat(price.lines()).allSatisfy(line -> {
            boolean known = line.unitPrice() != null;
            assertThat(known).isEqualTo(line.kind() != LineKind.BANDWIDTH);
        });
        assertThat(price.lines().get(0).quantity()).isEqualByComparingTo("240");
        assertThat(price.lines().get(0).unitPrice()).isEqualByComparingTo("80");
    }

    @Test
    void theBalanceIsWhatIsLeft() {
        assertThat(((SupportsBalance) adapter).balance()).isEqualTo(Money.of("500000.00", "CNY"));
    }

    @Test
    void whatWasTakenSurvivesARestartOfThePlatform() throws Exception {
        ClaimKey other = new ClaimKey("gb-inst0001-rsv00000002-1-bbbbbb");
        PlatformRef server = accepted(Claims.server(KEY, 2));
        PlatformRef pool = accepted(Claims.pool(other, 1));
        adapter.close();

        boot();

        clock.advance(Duration.ofMinutes(3));
        assertThat(adapter.status(server).phase()).isEqualTo(Phase.RUNNING);
        assertThat(adapter.status(pool).phase()).isEqualTo(Phase.RUNNING);
        assertThat(adapter.claim(Claims.server(KEY, 2)))
                .as("its token is remembered")
                .isEqualTo(new ClaimOutcome.Accepted(server));
        giveBack(server);
        giveBack(pool);
        assertThat(live()).isEmpty();
    }

    @Test
    void anUnknownServiceIsNamedAtTheStart() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Claims.adapter("http://127.0.0.1:1", Map.of("service", "cci"), clock))
                .withMessageContaining("cci");
    }

    // ---- steps ------------------------------------------------------------------------------------------

    private PlatformRef accepted(ClaimRequest request) {
        ClaimOutcome outcome = adapter.claim(request);
        assertThat(outcome).isInstanceOf(ClaimOutcome.Accepted.class);
        return ((ClaimOutcome.Accepted) outcome).ref();
    }

    private Offers offers(Flavor flavor) {
        return adapter.offers(new OfferQuery(List.of(new Ask(flavor, 1)), window(), Set.of()));
    }

    private static Window window() {
        return Window.of(Claims.NOW, Duration.ofDays(5));
    }

    private List<SimInstance> live() {
        return simulator.instances().stream().filter(SimInstance::isLive).toList();
    }

    private void giveBack(PlatformRef ref) {
        for (int attempt = 0; attempt < 20; attempt++) {
            if (adapter.release(ref) instanceof ReleaseProgress.Gone) {
                return;
            }
            clock.advance(Duration.ofMinutes(1));
        }
        throw new AssertionError("never gone: " + ref);
    }
}
