package dev.gpubroker.adapter.zhixingyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.gpubroker.adapter.contract.ManualClock;
import dev.gpubroker.adapter.contract.SimulatedAccount;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.SupportsBalance;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.simulator.Fault;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.zhixingyun.ZhixingyunSimulator;
import dev.gpubroker.simulator.zhixingyun.ZhixingyunSimulatorFactory;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is peculiar to this platform, against its simulator. */
class ZhixingyunAdapterTest {
    private static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");
    private static final Flavor EIGHT = new Flavor("RTX4090", 8);
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final ClaimKey OTHER = new ClaimKey("gb-inst0001-rsv00000002-1-bbbbbb");

    private final ManualClock clock = new ManualClock(NOW);
    private SimulatedAccount account;
    private ZhixingyunSimulator simulator;

    @BeforeEach
    void start() {
        account = new SimulatedAccount(new ZhixingyunAdapterFactory(), new ZhixingyunSimulatorFactory(), clock);
        simulator = (ZhixingyunSimulator) account.simulator();
        simulator.setStock("RTX4090", 8, 4);
    }

    @AfterEach
    void stop() {
        account.close();
    }

    // ---- finding without a token and without tags ----------------------------------------------------------------

    @Test
    void aLostReplyLeavesDoubtWhereThePlatformDoesNotShowTheKeyBack() {
        simulator.showExtUid(false);
        lose();

        assertThat(account.adapter().find(KEY)).isInstanceOf(Finding.CannotTell.class);
        assertThat(afterRestart().find(KEY)).isInstanceOf(Finding.CannotTell.class);
    }

    @Test
    void aMachineOfSomebodyElseIsNeverTakenForOurs() {
        simulator.showExtUid(false);
        strangerBuys(EIGHT);
        simulator.addFault(Fault.once("claim", Fault.Kind.RESET));
        account.adapter().claim(request(KEY));

        assertThat(account.adapter().find(KEY)).isInstanceOf(Finding.CannotTell.class);
        assertThat(account.adapter().list("inst0001")).isEmpty();
    }

    @Test
    void aMachineThatCannotBeTheClaimsLeavesNoDoubtWithinOneProcess() {
        simulator.showExtUid(false);
        simulator.setStock("V100", 2, 1);
        strangerBuys(new Flavor("V100-SXM2-32GB", 2));
        simulator.addFault(Fault.once("claim", Fault.Kind.RESET));
        account.adapter().claim(request(KEY));

        assertThat(account.adapter().find(KEY)).isEqualTo(new Finding.NotListed());
        assertThat(afterRestart().find(KEY)).isInstanceOf(Finding.CannotTell.class);
    }

    @Test
    void anOlderMachineLeavesNoDoubtWithinOneProcess() {
        simulator.showExtUid(false);
        strangerBuys(EIGHT);
        clock.advance(Duration.ofHours(1));
        simulator.addFault(Fault.once("claim", Fault.Kind.RESET));
        account.adapter().claim(request(KEY));

        assertThat(account.adapter().find(KEY)).isEqualTo(new Finding.NotListed());
    }

    @Test
    void anAnsweredClaimIsFoundByItsNoteAlsoAfterARestart() {
        simulator.showExtUid(false);
        PlatformRef ref = claimed(KEY);

        PlatformAdapter restarted = afterRestart();
        assertThat(restarted.find(KEY)).isInstanceOf(Finding.Found.class);
        assertThat(((Finding.Found) restarted.find(KEY)).ref()).isEqualTo(ref);
        assertThat(restarted.find(OTHER)).isEqualTo(new Finding.NotListed());
        assertThat(restarted.list("inst0001").stream().map(Holding::key)).containsExactly(KEY);
    }

    @Test
    void aMachineOfSomebodyElseLeavesNoDoubtOnceThePlatformHasShownAKey() {
        claimed(KEY);
        strangerBuys(EIGHT);

        assertThat(afterRestart().find(OTHER)).isEqualTo(new Finding.NotListed());
    }

    @Test
    void aClaimSentTwiceIsFoundWithBothItsMachines() {
        account.adapter().claim(request(KEY));
        account.adapter().claim(request(KEY));

        Finding.Found found = (Finding.Found) account.adapter().find(KEY);
        assertThat(found.ref().ids()).hasSize(2);
        clock.advance(Duration.ofMinutes(3));
        account.adapter().release(found.ref());
        clock.advance(Duration.ofMinutes(3));
        assertThat(account.adapter().release(found.ref())).isEqualTo(new ReleaseProgress.Gone());
        assertThat(simulator.nodesTaken()).isZero();
    }

    @Test
    void aClaimIsFoundOnTheLastPage() {
        simulator.setStock("RTX4090", 8, 150);
        simulator.setMoney("1000000000");
        Offer offer = offer(EIGHT);
        for (int n = 1; n <= 101; n++) {
            account.adapter().claim(request(new ClaimKey("gb-inst0001-rsv-" + n + "-aaaaaa"), offer, null));
        }

        assertThat(account.adapter().find(new ClaimKey("gb-inst0001-rsv-1-aaaaaa")))
                .isInstanceOf(Finding.Found.class);
        assertThat(account.adapter().list("inst0001")).hasSize(101);
    }

    // ---- refusals ------------------------------------------------------------------------------------------------

    @Test
    void aRefusalInUnknownWordsIsSoldOutOnlyIfTheStockSaysSo() {
        ClaimRequest request = request(KEY);
        refuseWith("主机调度失败");
        assertThat(account.adapter().claim(request))
                .isEqualTo(new ClaimOutcome.Refused(Reason.REFUSED_UNKNOWN, "4000: 主机调度失败"));

        simulator.setStock("RTX4090", 8, 0);
        refuseWith("主机调度失败");
        assertThat(account.adapter().claim(request))
                .isEqualTo(new ClaimOutcome.Refused(Reason.SOLD_OUT, "4000: 主机调度失败"));

        simulator.ageStock(Duration.ofHours(1));
        refuseWith("主机调度失败");
        assertThat(account.adapter().claim(request))
                .isEqualTo(new ClaimOutcome.Refused(Reason.REFUSED_UNKNOWN, "4000: 主机调度失败"));
    }

    @Test
    void tooLittleMoneyIsNamed() {
        ClaimRequest request = request(KEY);
        simulator.setMoney("10");

        ClaimOutcome outcome = account.adapter().claim(request);

        assertThat(((ClaimOutcome.Refused) outcome).reason()).isEqualTo(Reason.NO_BALANCE);
    }

    @Test
    void nothingIsBoughtAboveTheCap() {
        String cost = new BigDecimal("15.84").multiply(BigDecimal.valueOf(120)).toPlainString();

        ClaimOutcome outcome = account.adapter().claim(request(KEY, offer(EIGHT), Money.of("1900.79", "CNY")));
        assertThat(((ClaimOutcome.Refused) outcome).reason()).isEqualTo(Reason.TOO_EXPENSIVE);
        assertThat(simulator.nodesTaken()).isZero();
        assertThat(account.adapter().claim(request(KEY, offer(EIGHT), Money.of(cost, "CNY"))))
                .isInstanceOf(ClaimOutcome.Claimed.class);
    }

    @Test
    void aCreateThatIsRolledBackFailsAsSoldOutAndIsPaidBack() {
        Money before = balance();
        ClaimRequest request = request(KEY);
        refuseWith("rollback");
        PlatformRef ref = ref(account.adapter().claim(request));
        clock.advance(Duration.ofMinutes(3));

        assertThat(account.adapter().status(ref).phase()).isEqualTo(Phase.FAILED);
        assertThat(account.adapter().status(ref).machines().get(0).failure()).isEqualTo(Reason.SOLD_OUT);
        assertThat(account.adapter().find(KEY)).isInstanceOf(Finding.Found.class);
        assertThat(account.adapter().release(ref)).isEqualTo(new ReleaseProgress.Gone());
        assertThat(balance()).isEqualTo(before);
        assertThat(account.adapter().status(ref).phase()).isEqualTo(Phase.GONE);
        assertThat(simulator.nodesTaken()).isZero();
    }

    // ---- stock, prices, packs ---------------------------------------------------------------------------------------

    @Test
    void staleStockIsUnknownAndNeverSoldOut() {
        simulator.ageStock(Duration.ofMinutes(6));
        for (int nodes : List.of(4, 0)) {
            simulator.setStock("RTX4090", 8, nodes);

            Offers offers = offers(EIGHT, 1);

            assertThat(offers.missing()).isEmpty();
            assertThat(offers.available()).singleElement().satisfies(offer -> {
                assertThat(offer.stock()).isEqualTo(Stock.unknown());
                assertThat(offer.attributes()).containsEntry("stock_stale_since", "2026-11-01T01:54:00Z");
            });
        }
    }

    @Test
    void yesIsOneMachineAndNotSeveral() {
        assertThat(offers(EIGHT, 1).available().get(0).stock()).isEqualTo(Stock.plenty());
        assertThat(offers(EIGHT, 3).available().get(0).stock()).isEqualTo(Stock.scarce());
    }

    @Test
    void noIsNamedAsSoldOut() {
        assertThat(offers(new Flavor("A100-SXM4-80GB", 8), 1).missing())
                .singleElement()
                .satisfies(missing -> assertThat(missing.reason()).isEqualTo(Reason.SOLD_OUT));
    }

    @Test
    void anotherRegionHasNothing() {
        OfferQuery elsewhere = new OfferQuery(List.of(new Ask(EIGHT, 1)), Window.of(NOW, days(5)), Set.of("eu"));

        assertThat(account.adapter().offers(elsewhere)).isEqualTo(Offers.none());
    }

    @Test
    void fiveDaysArePricedByTheHourAndByTheDay() {
        simulator.discount("0.98");

        List<Price> prices = prices(days(5), MachineSpec.standard());

        assertThat(prices).extracting(Price::billing).containsExactly("hour", "day");
        assertThat(prices).allSatisfy(price -> {
            assertThat(price.billed().length()).isEqualTo(days(5));
            assertThat(price.lines()).singleElement().satisfies(line -> {
                assertThat(line.unitPrice()).isEqualByComparingTo("1.9404");
                assertThat(line.quantity()).isEqualByComparingTo("960");
            });
        });
    }

    @Test
    void sixHoursArePricedByTheHourOnly() {
        assertThat(prices(Duration.ofHours(6), MachineSpec.standard()))
                .extracting(Price::billing)
                .containsExactly("hour");
    }

    @Test
    void aDataDiskIsALineOfItsOwn() {
        MachineSpec disk = new MachineSpec(null, List.of(), List.of(), null, 500, false);

        assertThat(prices(days(1), disk).get(0).lines())
                .extracting(Price.Line::kind)
                .containsExactly(LineKind.GPU, LineKind.DATA_DISK);
    }

    @Test
    void anImageIsTakenByNameOrByFrameworkAndAnUnknownOneIsRefusedBeforeBuying() {
        Offer offer = offer(EIGHT);
        Pack pack = new Pack(1, Pack.HOUR);

        assertThat(OrderForm.of(offer, MachineSpec.standard(), pack, "power"))
                .containsEntry("image_name", "ubuntu22_cuda12.4");
        assertThat(OrderForm.of(offer, machine(null, "PyTorch"), pack, "power"))
                .containsEntry("image_name", "ubuntu22_pytorch2.4_cuda12.4");
        assertThat(OrderForm.of(offer, machine("win10_ai_cuda11.1"), pack, "power"))
                .containsEntry("image_name", "win10_ai_cuda11.1");
        assertThatThrownBy(() -> OrderForm.of(offer, machine("debian13"), pack, "power"))
                .isInstanceOf(PlatformFault.class)
                .hasMessageContaining("debian13");
    }

    @Test
    void aPackBoughtEarlyReachesToTheEndOfTheWindow() {
        Window window = Window.of(NOW.plus(Duration.ofMinutes(5)), days(5));
        ClaimRequest early =
                new ClaimRequest(KEY, "inst0001", offer(EIGHT), 1, window, "day", null, MachineSpec.standard(), null);

        ClaimOutcome.Claimed claimed = (ClaimOutcome.Claimed) account.adapter().claim(early);

        assertThat(claimed.window().covers(window)).isTrue();
        assertThat(claimed.window().length()).isEqualTo(Duration.ofHours(121));
    }

    @Test
    void aMachineEndsByItselfAtTheEndOfItsPackAndIsGone() {
        PlatformRef ref = claimed(KEY);

        clock.set(NOW.plus(days(5)).minusSeconds(1));
        assertThat(account.adapter().status(ref).phase()).isEqualTo(Phase.RUNNING);
        clock.set(NOW.plus(days(7)));
        assertThat(account.adapter().status(ref).phase()).isEqualTo(Phase.GONE);
        assertThat(account.adapter().release(ref)).isEqualTo(new ReleaseProgress.Gone());
        assertThat(simulator.instances().get(0).releasedAt()).isEqualTo(NOW.plus(days(5)));
    }

    // ---- giving back
    // --------------------------------------------------------------------------------------------------

    @Test
    void unusedHoursComeBackAsVouchers() {
        Money before = balance();
        PlatformRef ref = claimed(KEY);
        clock.advance(Duration.ofHours(20));
        account.adapter().release(ref);

        // 20 of 120 hours at 15.84 are spent.
        assertThat(balance()).isEqualTo(before.minus(Money.of("316.80", "CNY")));
    }

    @Test
    void aKeptDiskIsReleasedToo() {
        PlatformRef ref = claimed(KEY);
        clock.advance(Duration.ofMinutes(3));
        client().call(
                        "instance/change_due_mode",
                        Map.of("instance_name", ref.ids().get(0), "due_mode", "1"),
                        Duration.ofSeconds(5));
        clock.advance(days(6));

        assertThat(account.adapter().status(ref).phase()).isEqualTo(Phase.ENDING);
        assertThat(simulator.nodesTaken()).isEqualTo(1);
        assertThat(account.adapter().release(ref)).isEqualTo(new ReleaseProgress.Gone());
        assertThat(simulator.nodesTaken()).isZero();
    }

    @Test
    void givingBackEarlyNeverLeavesADiskBehind() {
        PlatformRef ref = claimed(KEY);
        clock.advance(Duration.ofMinutes(3));
        client().call(
                        "instance/change_due_mode",
                        Map.of("instance_name", ref.ids().get(0), "due_mode", "1"),
                        Duration.ofSeconds(5));
        account.adapter().release(ref);
        clock.advance(Duration.ofMinutes(1));

        assertThat(account.adapter().status(ref).phase()).isEqualTo(Phase.GONE);
        assertThat(simulator.nodesTaken()).isZero();
    }

    @Test
    void whatThePlatformDoesNotKnowAnyMoreIsGone() {
        PlatformRef forgotten = new PlatformRef("cn", "instance", List.of("sim_forgotten_u1_c0"));

        assertThat(account.adapter().status(forgotten).phase()).isEqualTo(Phase.GONE);
        assertThat(account.adapter().release(forgotten)).isEqualTo(new ReleaseProgress.Gone());
    }

    // ---- odd answers
    // ----------------------------------------------------------------------------------------------------

    @Test
    void aWholeLifeWorksWithNumbersAsTexts() {
        simulator.sendNumbersAsText();
        PlatformRef ref = claimed(KEY);
        clock.advance(Duration.ofMinutes(3));

        assertThat(account.adapter().status(ref).phase()).isEqualTo(Phase.RUNNING);
        assertThat(account.adapter().find(KEY)).isInstanceOf(Finding.Found.class);
        account.adapter().release(ref);
        clock.advance(Duration.ofMinutes(3));
        assertThat(account.adapter().release(ref)).isEqualTo(new ReleaseProgress.Gone());
    }

    @Test
    void noPasswordReachesALogOrAResult() {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Level level = root.getLevel();
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        root.addAppender(log);
        root.setLevel(Level.ALL);
        List<Object> results = new ArrayList<>();
        try {
            simulator.showExtUid(false);
            ClaimOutcome outcome = account.adapter().claim(request(KEY));
            clock.advance(Duration.ofMinutes(3));
            simulator.addFault(Fault.once("claim", Fault.Kind.LOSE_REPLY));
            results.add(outcome);
            results.add(account.adapter().claim(request(OTHER)));
            results.add(account.adapter().status(ref(outcome)));
            results.add(account.adapter().find(KEY));
            results.add(account.adapter().list("inst0001"));
            results.add(account.adapter().release(ref(outcome)));
            results.add(client().call(
                            "instance/get_instance_list", Map.of("status_type", "statusAll"), Duration.ofSeconds(5)));
            results.add(client().call(
                            "instance/get_instance_list", Map.of("status_type", "statusAll"), Duration.ofSeconds(5))
                    .data());
            results.add(account.adapter());
        } finally {
            root.setLevel(level);
            root.detachAppender(log);
        }

        assertThat(log.list).isNotEmpty();
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .allSatisfy(ZhixingyunAdapterTest::hasNoSecret);
        assertThat(results).extracting(String::valueOf).allSatisfy(ZhixingyunAdapterTest::hasNoSecret);
    }

    private static void hasNoSecret(String text) {
        assertThat(text).doesNotContain("sim-Pw-", "sim-zhixingyun-secret");
    }

    @Test
    void aRegionThatNobodyCanChooseIsRefusedWithTheOneThereIs() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ZhixingyunAdapterFactory().create(settings(List.of("js"), Map.of())))
                .withMessageContaining("'cn'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ZhixingyunAdapterFactory()
                        .create(settings(List.of("cn"), Map.of("pay_type_first", "card"))))
                .withMessageContaining("pay_type_first");
    }

    // ---- steps
    // ------------------------------------------------------------------------------------------------------------

    private static Duration days(int days) {
        return Duration.ofDays(days);
    }

    /** The reply of a create that took effect is lost. */
    private void lose() {
        ClaimRequest request = request(KEY);
        simulator.addFault(Fault.once("claim", Fault.Kind.LOSE_REPLY));
        assertThat(account.adapter().claim(request)).isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(simulator.nodesTaken()).isEqualTo(1);
    }

    private void refuseWith(String code) {
        simulator.addFault(new Fault("claim", Fault.Kind.ERROR, 1, Duration.ZERO, code));
    }

    /** Somebody rents a machine by hand. */
    private void strangerBuys(Flavor flavor) {
        Answer answer = client().call(
                        "store/create_kvm_instance",
                        OrderForm.of(offer(flavor), MachineSpec.standard(), new Pack(48, Pack.HOUR), "power"),
                        Duration.ofSeconds(5));
        assertThat(answer.isGood()).isTrue();
        assertThat(simulator.instances()).extracting(SimInstance::key).containsNull();
    }

    private PlatformAdapter afterRestart() {
        return account.adapterFor("inst0001", new ZhixingyunSimulatorFactory().credentials(), account.url());
    }

    private PlatformRef claimed(ClaimKey key) {
        return ref(account.adapter().claim(request(key)));
    }

    private static PlatformRef ref(ClaimOutcome outcome) {
        return outcome instanceof ClaimOutcome.Accepted accepted
                ? accepted.ref()
                : ((ClaimOutcome.Claimed) outcome).ref();
    }

    private ClaimRequest request(ClaimKey key) {
        return request(key, offer(EIGHT), null);
    }

    private ClaimRequest request(ClaimKey key, Offer offer, @Nullable Money atMost) {
        return new ClaimRequest(
                key,
                "inst0001",
                offer,
                1,
                Window.of(clock.instant(), days(5)),
                Pack.HOUR,
                clock.instant().plus(days(5)).plus(Duration.ofHours(1)),
                MachineSpec.standard(),
                atMost);
    }

    private Offer offer(Flavor flavor) {
        return offers(flavor, 1).available().get(0);
    }

    private Offers offers(Flavor flavor, int nodes) {
        return account.adapter()
                .offers(new OfferQuery(List.of(new Ask(flavor, nodes)), Window.of(clock.instant(), days(5)), Set.of()));
    }

    private List<Price> prices(Duration length, MachineSpec machine) {
        return account.adapter().price(new PriceQuery(offer(EIGHT), 1, Window.of(clock.instant(), length), machine));
    }

    private static MachineSpec machine(@Nullable String image, String... frameworks) {
        return new MachineSpec(image, List.of(frameworks), List.of(), null, 0, false);
    }

    private Money balance() {
        return ((SupportsBalance) account.adapter()).balance();
    }

    private ZhixingyunClient client() {
        return new ZhixingyunClient(
                account.url(),
                new FormSigner("sim-zhixingyun-access", "sim-zhixingyun-secret"),
                Duration.ofSeconds(2),
                InstantSource.system());
    }

    private AccountSettings settings(List<String> regions, Map<String, String> options) {
        return new AccountSettings(
                "test",
                "inst0001",
                regions,
                URI.create("http://127.0.0.1:1"),
                new ZhixingyunSimulatorFactory().credentials(),
                options,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                true,
                clock);
    }
}
