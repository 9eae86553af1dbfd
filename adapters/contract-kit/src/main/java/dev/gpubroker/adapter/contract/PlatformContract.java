package dev.gpubroker.adapter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.BootLimit;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.MachineOption;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.SupportsLaunch;
import dev.gpubroker.adapter.spi.SupportsTimedEnd;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.simulator.Fault;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimulatorFactory;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every adapter keeps, whatever the platform. A subclass names its factories and one flavor. What a platform lacks is
 * read from its {@link Capabilities}, and then shown to be really lacking.
 */
public abstract class PlatformContract {
    private static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");
    private static final Window WANTED = Window.of(NOW.plus(Duration.ofDays(19)), Duration.ofDays(5));
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final ClaimKey OTHER_KEY = new ClaimKey("gb-inst0001-rsv00000002-1-bbbbbb");

    protected final ManualClock clock = new ManualClock(NOW);
    /** What the machines of this test are ordered with. */
    private MachineSpec ordered = MachineSpec.standard();

    private SimulatedAccount account;

    protected abstract AdapterFactory adapters();

    protected abstract SimulatorFactory simulators();

    /** A flavor that the platform sells; the tests put 4 machines of it in stock. */
    protected abstract Flavor flavor();

    /** What an order of {@link #flavor()} takes. */
    protected Set<MachineOption> machineOptions() {
        return capabilities().machineOptions();
    }

    /** An image that the simulator has beside the account's own. */
    protected String image() {
        return "ami-0123456789abcdef0";
    }

    @BeforeEach
    void start() {
        account = new SimulatedAccount(adapters(), simulators(), clock);
        account.simulator().setStock(flavor().model(), flavor().gpusPerNode(), 4);
    }

    @AfterEach
    void stop() {
        account.close();
    }

    protected final SimulatedAccount account() {
        return account;
    }

    protected final PlatformAdapter adapter() {
        return account.adapter();
    }

    protected final Capabilities capabilities() {
        return adapter().capabilities();
    }

    // ---- how machines come up ---------------------------------------------------------------------------

    @Test
    void imageKeysScriptDiskAndAddressReachTheMachine() {
        Set<MachineOption> takes = machineOptions();
        String key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEOZYTMIGu5fkm1TlUkQpy ann's key";
        String script = "#!/bin/sh\necho 'ready: \"yes\"' >/run/ready\n";
        ordered = new MachineSpec(
                takes.contains(MachineOption.IMAGE) ? image() : null,
                List.of(),
                takes.contains(MachineOption.SSH_KEYS) ? List.of(key) : List.of(),
                takes.contains(MachineOption.STARTUP_SCRIPT) ? script : null,
                takes.contains(MachineOption.DATA_DISK) ? 500 : 0,
                takes.contains(MachineOption.PUBLIC_IP));

        untilRunning(claimed(KEY));

        SimInstance machine = account.simulator().instances().stream()
                .filter(SimInstance::isLive)
                .findFirst()
                .orElseThrow();
        assertThat(machine.attribute("sshKeys")).isEqualTo(takes.contains(MachineOption.SSH_KEYS) ? key : "");
        assertThat(machine.attribute("startupScript"))
                .isEqualTo(takes.contains(MachineOption.STARTUP_SCRIPT) ? script : "");
        if (takes.contains(MachineOption.IMAGE)) {
            assertThat(machine.attribute("image")).isEqualTo(image());
        }
        if (takes.contains(MachineOption.DATA_DISK)) {
            assertThat(machine.attribute("dataDiskGb")).isEqualTo("500");
        }
        if (takes.contains(MachineOption.PUBLIC_IP)) {
            assertThat(machine.attribute("publicIp")).isNotEmpty();
        }
    }

    /** What nobody would run, or nobody could reach, is no machine worth its money. */
    @Test
    void aScriptOrAnAddressThatThePlatformDoesNotTakeIsRefusedAndNotDropped() {
        assumeTrue(!machineOptions().containsAll(Set.of(MachineOption.STARTUP_SCRIPT, MachineOption.PUBLIC_IP)));
        ordered = new MachineSpec(
                null,
                List.of(),
                List.of(),
                machineOptions().contains(MachineOption.STARTUP_SCRIPT) ? null : "#!/bin/sh\ntrue\n",
                0,
                !machineOptions().contains(MachineOption.PUBLIC_IP));

        assertThat(adapter().claim(request(KEY, offer())))
                .isInstanceOfSatisfying(
                        ClaimOutcome.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.NOT_OFFERED));
        assertThat(account.simulator().nodesTaken()).isZero();
    }

    /** Found out at a launch it would cost the whole window; taken for silence it would be looked for in vain. */
    @Test
    void aScriptThatIsTooLongIsRefusedBeforeAnythingIsBought() {
        BootLimit limit = capabilities().bootLimit();
        assumeTrue(limit != null);
        String script = "#!/bin/sh\n# " + "长".repeat(limit.mostBytes() / 3) + "\n";
        ordered = new MachineSpec(null, List.of(), List.of(), script, 0, false);

        ClaimRequest request = request(KEY, offer());

        assertThat(limit.allows(ordered)).isFalse();
        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter().claim(request));
        assertThat(fault).isNotNull();
        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.BAD_REQUEST);
        assertThat(account.simulator().nodesTaken()).isZero();
    }

    @Test
    void aMachineThatRunsSaysWhereToLogIn() {
        assumeTrue(machineOptions().contains(MachineOption.IMAGE)); // Else nobody logs in to it.

        ClaimStatus status = adapter().status(untilRunning(claimed(KEY)));

        assertThat(status.machines()).allSatisfy(machine -> {
            ClaimStatus.Endpoint endpoint = java.util.Objects.requireNonNull(machine.endpoint());
            assertThat(endpoint.host()).isEqualTo("127.0.0.1");
            assertThat(endpoint.port()).isEqualTo(account.sshPort());
            assertThat(endpoint.user()).isNotEmpty();
        });
    }

    // ---- what it sells ---------------------------------------------------------------------------------

    @Test
    void capabilitiesNameTheFactorysPlatformAndTheFlavor() {
        assertThat(capabilities().platform())
                .isEqualTo(adapters().platform())
                .isEqualTo(simulators().platform());
        assertThat(capabilities().shapes()).anyMatch(shape -> shape.flavor().equals(flavor()));
        assertThat(capabilities().shapes().stream().map(shape -> shape.sku()).toList())
                .doesNotHaveDuplicates();
    }

    @Test
    void stockIsOfferedInTheShapesThatCapabilitiesList() {
        List<Offer> offers = offers();

        assertThat(offers).isNotEmpty().allSatisfy(offer -> {
            assertThat(offer.flavor()).isEqualTo(flavor());
            assertThat(capabilities().shapes())
                    .anyMatch(shape ->
                            shape.sku().equals(offer.sku()) && shape.flavor().equals(flavor()));
        });
    }

    @Test
    void whatIsSoldOutIsNotOffered() {
        account.simulator().setStock(flavor().model(), flavor().gpusPerNode(), 0);

        assertThat(offers().stream()
                        .filter(offer -> offer.stock().level() != dev.gpubroker.adapter.spi.Stock.Level.UNKNOWN))
                .isEmpty();
    }

    @Test
    void aForwardOfferStatesAWindowThatCoversTheOneAsked() {
        assumeTrue(capabilities().forward() != null);

        assertThat(offers())
                .filteredOn(offer -> offer.term() == Term.FORWARD)
                .isNotEmpty()
                .allMatch(offer -> usable(offer).covers(WANTED));
    }

    @Test
    void aPriceIsMadeOfLinesInThePlatformsCurrencyAndCoversTheWindow() {
        assertThat(prices()).isNotEmpty().allSatisfy(price -> {
            assertThat(price.billed().length())
                    .isGreaterThanOrEqualTo(window(offer()).length());
            assertThat(price.lines()).isNotEmpty().allSatisfy(line -> {
                assertThat(line.currency()).isEqualTo(capabilities().currency());
                assertThat(line.quantity()).isPositive();
                if (line.unitPrice() != null) {
                    assertThat(line.unitPrice()).isNotNegative();
                    assertThat(line.unitPrice().stripTrailingZeros().scale()).isLessThanOrEqualTo(12);
                }
            });
        });
    }

    @Test
    void thePriceFollowsThePlatform() {
        BigDecimal before = cheapest();
        account.simulator().setHourly(flavor().model(), flavor().gpusPerNode(), "4321.25");

        assertThat(cheapest()).isGreaterThan(before);
    }

    // ---- taking ------------------------------------------------------------------------------------------

    @Test
    void aClaimTakesOneMachineWhichComesUpAndCarriesItsKey() {
        PlatformRef ref = untilRunning(claimed(KEY));

        assertThat(adapter().status(ref).machines()).hasSize(1);
        assertThat(live()).hasSize(1).allSatisfy(machine -> {
            assertThat(machine.key()).isEqualTo(KEY.text());
            assertThat(machine.gpus()).isEqualTo(flavor().gpusPerNode());
            assertThat(machine.model()).isEqualTo(flavor().model());
        });
    }

    @Test
    void aClaimWhoseReplyIsLostIsFoundByItsKey() {
        Offer offer = offer();
        fault("claim", Fault.Kind.LOSE_REPLY);

        assertThat(adapter().claim(request(KEY, offer))).isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(adapter().find(KEY)).isInstanceOf(Finding.Found.class);
        assertThat(live()).hasSize(1);
        Finding.Found found = (Finding.Found) adapter().find(KEY);
        giveBack(found.ref());
        letAnUncancellableWindowPass();
        assertThat(live()).isEmpty();
    }

    @Test
    void aClaimWhoseConnectionBreaksBeforeAnyEffectIsUnknownAndThenNotListed() {
        Offer offer = offer();
        fault("claim", Fault.Kind.RESET);

        assertThat(adapter().claim(request(KEY, offer))).isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(adapter().find(KEY)).isEqualTo(new Finding.NotListed());
        assertThat(live()).isEmpty();
    }

    @Test
    void aClaimThatHangsEndsUnknownWithinItsTimeOut() {
        Offer offer = offer();
        account.simulator().addFault(new Fault("claim", Fault.Kind.HANG, 1, Duration.ofSeconds(30), null));

        assertThat(adapter().claim(request(KEY, offer))).isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(live()).isEmpty();
    }

    @Test
    void aClaimThatTakesEffectLateIsFoundOnceItHas() {
        Offer offer = offer();
        account.simulator().addFault(new Fault("claim", Fault.Kind.LATE, 1, Duration.ofMinutes(4), null));

        assertThat(adapter().claim(request(KEY, offer))).isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(adapter().find(KEY)).isEqualTo(new Finding.NotListed());
        clock.advance(Duration.ofMinutes(5));
        assertThat(adapter().find(KEY)).isInstanceOf(Finding.Found.class);
        assertThat(live()).hasSize(1);
    }

    @Test
    void aClaimOnWhatWasSoldMeanwhileIsRefusedAsSoldOut() {
        Offer offer = offer();
        account.simulator().setStock(flavor().model(), flavor().gpusPerNode(), 0);

        ClaimOutcome outcome = settled(adapter().claim(request(KEY, offer)));

        assertThat(outcome).isInstanceOf(ClaimOutcome.Refused.class);
        assertThat(((ClaimOutcome.Refused) outcome).reason()).isEqualTo(Reason.SOLD_OUT);
        assertThat(live()).isEmpty();
    }

    @Test
    void aThrottledClaimTookNothingAndSaysSo() {
        Offer offer = offer();
        fault("claim", Fault.Kind.THROTTLE);

        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter().claim(request(KEY, offer)));

        assertThat(fault).isNotNull();
        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.THROTTLED);
        assertThat(live()).isEmpty();
    }

    @Test
    void aClaimAnsweredWithAnInternalErrorIsUnknown() {
        Offer offer = offer();
        fault("claim", Fault.Kind.ERROR);

        assertThat(adapter().claim(request(KEY, offer))).isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @Test
    void aSecondClaimWithTheSameKeyIsTheSameMachineExactlyWhereThePlatformTakesAToken() {
        Offer offer = offer();
        adapter().claim(request(KEY, offer));
        adapter().claim(request(KEY, offer));

        assertThat(live()).hasSize(capabilities().token() ? 1 : 2);
    }

    @Test
    void aClaimOfSeveralMachinesTakesThemAllOrNone() {
        assumeTrue(capabilities().nodesPerClaim() >= 2);
        Offer offer = offer(2);
        PlatformRef ref = claimed(KEY, offer, 2);

        assertThat(live()).hasSize(2);
        account.simulator().setStock(flavor().model(), flavor().gpusPerNode(), 1);
        assertThat(settled(adapter().claim(request(OTHER_KEY, offer, 2)))).isInstanceOf(ClaimOutcome.Refused.class);
        assertThat(live()).hasSize(2);
        giveBack(ref);
        letAnUncancellableWindowPass();
        assertThat(live()).isEmpty();
    }

    // ---- looking -----------------------------------------------------------------------------------------

    @Test
    void aSearchThatFailsProvesNothing() {
        account.simulator().addFault(new Fault("find", Fault.Kind.ERROR, 20, Duration.ZERO, null));

        assertThat(adapter().find(KEY)).isInstanceOf(Finding.CannotTell.class);
    }

    @Test
    void anUnknownKeyIsNotListed() {
        claimed(KEY);

        assertThat(adapter().find(OTHER_KEY)).isEqualTo(new Finding.NotListed());
    }

    @Test
    void aListShowsOwnMachinesAndNoneOfAnotherInstallation() {
        claimed(KEY);

        assertThat(adapter().list("inst0001").stream().map(Holding::key)).containsExactly(KEY);
        assertThat(adapter().list("inst0002")).isEmpty();
    }

    @Test
    void wrongCredentialsAreNamedAndNeverReadAsAbsence() {
        Map<String, String> wrong = new java.util.HashMap<>(simulators().credentials());
        wrong.replaceAll((name, value) -> name.equals(adapters()
                        .credentialNames()
                        .get(adapters().credentialNames().size() - 1))
                ? value + "-wrong"
                : value);
        try (PlatformAdapter stranger = account.adapterFor("inst0001", wrong, account.url())) {
            PlatformFault fault = catchThrowableOfType(
                    PlatformFault.class,
                    () -> stranger.offers(new OfferQuery(List.of(new Ask(flavor(), 1)), WANTED, Set.of())));
            assertThat(fault).isNotNull();
            assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.BAD_CREDENTIALS);
            assertThat(fault).hasMessageNotContaining("-wrong");
            assertThat(stranger.find(KEY)).isInstanceOf(Finding.CannotTell.class);
        }
    }

    @Test
    void aPlatformThatHangsEndsInAFaultWithinTheTimeOut() {
        account.simulator().addFault(new Fault("stock", Fault.Kind.HANG, 20, Duration.ofSeconds(30), null));

        PlatformFault fault = catchThrowableOfType(PlatformFault.class, this::offers);

        assertThat(fault).isNotNull();
        assertThat(fault.isRetryable()).isTrue();
    }

    @Test
    void aThrottledReadSaysThrottled() {
        account.simulator().addFault(new Fault("stock", Fault.Kind.THROTTLE, 20, Duration.ZERO, null));

        PlatformFault fault = catchThrowableOfType(PlatformFault.class, this::offers);

        assertThat(fault).isNotNull();
        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.THROTTLED);
    }

    // ---- giving back ---------------------------------------------------------------------------------------

    @Test
    void whatIsReleasedIsGoneAndStaysGone() {
        PlatformRef ref = untilRunning(claimed(KEY));

        giveBack(ref);

        assertThat(live()).isEmpty();
        assertThat(adapter().release(ref)).isEqualTo(new ReleaseProgress.Gone());
        assertThat(adapter().status(ref).phase()).isEqualTo(ClaimStatus.Phase.GONE);
        assertThat(adapter().list("inst0001")).isEmpty();
    }

    @Test
    void aMachineCanBeReleasedBeforeItEverCameUp() {
        giveBack(claimed(KEY));

        letAnUncancellableWindowPass();
        assertThat(live()).isEmpty();
    }

    @Test
    void aReleaseWhoseReplyIsLostIsSimplyRepeated() {
        PlatformRef ref = untilRunning(claimed(KEY));
        fault("release", Fault.Kind.LOSE_REPLY);

        PlatformFault fault =
                catchThrowableOfType(PlatformFault.class, () -> adapter().release(ref));

        assertThat(fault).isNotNull();
        giveBack(ref);
        assertThat(live()).isEmpty();
    }

    @Test
    void machinesEndByThemselvesExactlyWhereThePlatformSaysSo() {
        untilRunning(claimed(KEY));

        clock.set(WANTED.end().plus(Duration.ofDays(3)));

        boolean ends = capabilities().timedEnd() || capabilities().forward() != null;
        assertThat(live()).hasSize(ends ? 0 : 1);
    }

    @Test
    void aTimedEndCanBeMoved() {
        assumeTrue(adapter() instanceof SupportsTimedEnd);
        PlatformRef ref = untilRunning(claimed(KEY));
        Instant later = timedEnd(offer()).plus(Duration.ofDays(1));

        ((SupportsTimedEnd) adapter()).moveEnd(ref, later);

        clock.set(later.minus(Duration.ofMinutes(30)));
        assertThat(live()).hasSize(1);
        clock.set(later.plus(Duration.ofHours(2)));
        assertThat(live()).isEmpty();
    }

    @Test
    void aMissingCredentialIsNamed() {
        String last =
                adapters().credentialNames().get(adapters().credentialNames().size() - 1);
        Map<String, String> less = new java.util.HashMap<>(simulators().credentials());
        less.remove(last);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> account.adapterFor("inst0001", less, account.url()))
                .withMessageContaining(last);
    }

    // ---- steps -----------------------------------------------------------------------------------------------

    protected final void fault(String operation, Fault.Kind kind) {
        account.simulator().addFault(Fault.once(operation, kind));
    }

    protected final List<SimInstance> live() {
        return account.simulator().instances().stream()
                .filter(SimInstance::isLive)
                .toList();
    }

    private List<Offer> offers() {
        return offers(1);
    }

    private List<Offer> offers(int nodes) {
        return adapter()
                .offers(new OfferQuery(List.of(new Ask(flavor(), nodes)), WANTED, Set.of()))
                .available();
    }

    protected final Offer offer() {
        return offer(1);
    }

    protected final Offer offer(int nodes) {
        return offers(nodes).get(0);
    }

    /** A platform that sells from stock is asked for a window that begins now. */
    private Window window(Offer offer) {
        return offer.term() == Term.FORWARD ? WANTED : Window.of(clock.instant(), WANTED.length());
    }

    private static Window usable(Offer offer) {
        Window sold = java.util.Objects.requireNonNull(offer.window());
        Instant usableEnd = offer.usableEnd();
        return usableEnd == null ? sold : new Window(sold.start(), usableEnd);
    }

    private Instant timedEnd(Offer offer) {
        return window(offer).end().plus(Duration.ofHours(1));
    }

    private List<Price> prices() {
        Offer offer = offer();
        return adapter().price(new PriceQuery(offer, 1, window(offer), MachineSpec.standard()));
    }

    private BigDecimal cheapest() {
        return prices().stream()
                .map(price -> price.lines().stream()
                        .filter(line -> line.unitPrice() != null)
                        .map(line -> line.unitPrice().multiply(line.quantity()))
                        .reduce(BigDecimal.ZERO, BigDecimal::add))
                .min(BigDecimal::compareTo)
                .orElseThrow();
    }

    protected final ClaimRequest request(ClaimKey key, Offer offer) {
        return request(key, offer, 1);
    }

    protected final ClaimRequest request(ClaimKey key, Offer offer, int nodes) {
        String billing = adapter()
                .price(new PriceQuery(offer, nodes, window(offer), MachineSpec.standard()))
                .get(0)
                .billing();
        return new ClaimRequest(
                key,
                "inst0001",
                offer,
                nodes,
                window(offer),
                billing,
                capabilities().timedEnd() ? timedEnd(offer) : null,
                ordered,
                null);
    }

    private PlatformRef claimed(ClaimKey key) {
        return claimed(key, offer(), 1);
    }

    private PlatformRef claimed(ClaimKey key, Offer offer, int nodes) {
        ClaimOutcome outcome = adapter().claim(request(key, offer, nodes));
        if (outcome instanceof ClaimOutcome.Claimed claimed) {
            return claimed.ref();
        }
        assertThat(outcome).isInstanceOf(ClaimOutcome.Accepted.class);
        return ((ClaimOutcome.Accepted) outcome).ref();
    }

    /** Follows an accepted claim to its certain end; what then failed is refused. */
    private ClaimOutcome settled(ClaimOutcome outcome) {
        if (!(outcome instanceof ClaimOutcome.Accepted accepted)) {
            return outcome;
        }
        for (int minute = 0; minute < 60; minute++) {
            ClaimStatus status = adapter().status(accepted.ref());
            if (status.phase() == ClaimStatus.Phase.FAILED) {
                Reason reason = status.machines().stream()
                        .map(ClaimStatus.Machine::failure)
                        .filter(java.util.Objects::nonNull)
                        .findFirst()
                        .orElse(Reason.REFUSED_UNKNOWN);
                giveBack(accepted.ref());
                return new ClaimOutcome.Refused(reason, status.detail());
            }
            clock.advance(Duration.ofMinutes(1));
        }
        return outcome;
    }

    /** Lets time pass until the machines run, launching them first where the platform wants that. */
    protected final PlatformRef untilRunning(PlatformRef bought) {
        PlatformRef ref = bought;
        boolean launched = false;
        for (int minute = 0; minute < 120; minute++) {
            ClaimStatus status = adapter().status(ref);
            if (status.phase() == ClaimStatus.Phase.RUNNING) {
                return ref;
            }
            assertThat(status.phase()).isNotIn(ClaimStatus.Phase.FAILED, ClaimStatus.Phase.GONE);
            if (status.phase() == ClaimStatus.Phase.SECURED
                    && adapter() instanceof SupportsLaunch launcher
                    && !launched) {
                Offer offer = forwardOffer(status);
                clock.set(WANTED.start());
                ClaimOutcome outcome = launcher.launch(ref, requestAt(offer));
                assertThat(outcome).isInstanceOf(ClaimOutcome.Claimed.class);
                ref = ((ClaimOutcome.Claimed) outcome).ref();
                launched = true;
            } else {
                clock.advance(Duration.ofMinutes(1));
            }
        }
        throw new AssertionError("the machine never came up: " + adapter().status(ref));
    }

    private Offer forwardOffer(ClaimStatus status) {
        String sku = capabilities().shapes().stream()
                .filter(shape -> shape.flavor().equals(flavor()))
                .findFirst()
                .orElseThrow()
                .sku();
        Window window = status.window() == null ? WANTED : status.window();
        return new Offer(
                "bought",
                sku,
                flavor(),
                adapters().defaultRegions().get(0),
                null,
                Term.FORWARD,
                dev.gpubroker.adapter.spi.Stock.plenty(),
                window,
                null,
                Map.of());
    }

    private ClaimRequest requestAt(Offer offer) {
        return new ClaimRequest(KEY, "inst0001", offer, 1, WANTED, "", null, ordered, null);
    }

    /** What was bought for good and never used stays bought to its end, although its release is done. */
    private void letAnUncancellableWindowPass() {
        Capabilities.Forward forward = capabilities().forward();
        if (forward != null && !forward.cancellable()) {
            clock.set(WANTED.end().plus(Duration.ofDays(3)));
        }
    }

    protected final void giveBack(PlatformRef ref) {
        for (int attempt = 0; attempt < 60; attempt++) {
            ReleaseProgress progress = adapter().release(ref);
            if (progress instanceof ReleaseProgress.Gone) {
                return;
            }
            if (progress instanceof ReleaseProgress.Refused refused) {
                assertThat(refused.retryAt()).isAfterOrEqualTo(clock.instant());
            }
            clock.advance(Duration.ofMinutes(2));
        }
        throw new AssertionError("never gone: " + ref);
    }
}
