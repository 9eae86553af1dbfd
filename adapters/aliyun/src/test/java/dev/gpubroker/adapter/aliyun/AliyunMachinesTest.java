package dev.gpubroker.adapter.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.adapter.contract.ManualClock;
import dev.gpubroker.adapter.contract.SimulatedAccount;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.SupportsBalance;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.aliyun.AliyunSimulatorFactory;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the contract does not ask of every platform, against the simulator. */
class AliyunMachinesTest {
    private static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final ClaimKey OTHER_KEY = new ClaimKey("gb-inst0001-rsv00000002-1-bbbbbb");
    private static final Flavor A100 = new Flavor("A100-SXM4-80GB", 8);

    private final AliyunSimulatorFactory simulators = new AliyunSimulatorFactory();
    private final ManualClock clock = new ManualClock(NOW);
    private final SimulatedAccount account = new SimulatedAccount(new AliyunAdapterFactory(), simulators, clock);

    @AfterEach
    void stop() {
        account.close();
    }

    @Test
    void atTheStartThereAreEightMachinesOfEightA100AndNoOtherA100() {
        List<Offer> offers = offers(List.of(
                new Ask(A100, 1),
                new Ask(new Flavor("A100-SXM4-80GB", 4), 1),
                new Ask(new Flavor("A100-SXM4-40GB", 8), 1)));

        assertThat(offers).extracting(Offer::sku).containsExactly("ecs.gn7e-c16g1.32xlarge");
        claim(KEY, 8, MachineSpec.standard());
        assertThat(offers(List.of(new Ask(A100, 1)))).isEmpty();
    }

    @Test
    void everyShapeThatTheAdapterKnowsIsSoldByTheSimulatorWithTheSameGpus() {
        assertThat(account.adapter().capabilities().shapes())
                .extracting(shape -> shape.sku() + " " + shape.flavor())
                .containsExactlyElementsOf(account.simulator().skus().stream()
                        .map(sku -> sku.sku() + " " + new Flavor(sku.model(), sku.gpus()))
                        .toList());
    }

    @Test
    void theQuoteHasALineForTheGpusAndOneForTheDisk() {
        Offer offer = offers(List.of(new Ask(A100, 1))).get(0);

        List<Price> prices = account.adapter().price(new PriceQuery(offer, 2, window(), MachineSpec.standard()));

        assertThat(prices).hasSize(1);
        assertThat(prices.get(0).lines())
                .containsExactly(
                        line(LineKind.GPU, "InstanceType", "277.93"),
                        line(LineKind.SYSTEM_DISK, "SystemDisk", "0.1400"));
    }

    @Test
    void moreMachinesThanAPageHoldsAreAllListed() {
        account.simulator().setStock("A100-SXM4-80GB", 8, 150);
        claim(KEY, 100, MachineSpec.standard());
        claim(OTHER_KEY, 50, MachineSpec.standard());

        assertThat(account.adapter().list("inst0001")).hasSize(150).doesNotHaveDuplicates();
        Finding found = account.adapter().find(KEY);
        assertThat(((Finding.Found) found).ref().ids()).hasSize(100);
    }

    @Test
    void aUserWithoutPermissionCannotTellAndTheSweepGetsNoEmptyList() {
        claim(KEY, 1, MachineSpec.standard());
        try (var stranger = account.adapterFor("inst0001", simulators.unprivilegedCredentials(), account.url())) {
            assertThat(stranger.find(KEY)).isInstanceOf(Finding.CannotTell.class);
            PlatformFault fault = catchThrowableOfType(PlatformFault.class, () -> stranger.list("inst0001"));
            assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.BAD_CREDENTIALS);
            PlatformFault noBalance =
                    catchThrowableOfType(PlatformFault.class, () -> ((SupportsBalance) stranger).balance());
            assertThat(noBalance.kind()).isEqualTo(PlatformFault.Kind.BAD_CREDENTIALS);
        }
    }

    @Test
    void theStartUpScriptReachesTheMachineHoweverLong() {
        String script = "#!/bin/sh\n# " + "a+b/c=d&e é ".repeat(2000) + "\n";

        claim(KEY, 1, new MachineSpec(null, List.of(), List.of(), script, 0, false));

        assertThat(live())
                .singleElement()
                .satisfies(machine -> assertThat(new String(
                                Base64.getDecoder().decode(machine.attribute("userData")), StandardCharsets.UTF_8))
                        .isEqualTo(script));
    }

    @Test
    void theMachineEndsAtTheVeryInstantOfItsTimedEndAndItsPlaceIsFreeAgainOnce() {
        claim(KEY, 8, MachineSpec.standard());
        Instant end = window().end().plus(Duration.ofHours(1));

        clock.set(end.minusSeconds(1));
        assertThat(live()).hasSize(8);
        clock.set(end.plus(Duration.ofDays(9)));

        assertThat(account.simulator().instances())
                .allSatisfy(machine -> assertThat(machine.releasedAt()).isEqualTo(end));
        account.simulator().instances();
        claim(OTHER_KEY, 8, MachineSpec.standard());
        assertThat(offers(List.of(new Ask(A100, 1)))).isEmpty();
    }

    @Test
    void theSameTokenForAnotherOrderIsUnknownSinceTheFirstMayStand() {
        claim(KEY, 1, MachineSpec.standard());
        Offer offer = offers(List.of(new Ask(A100, 1))).get(0);

        assertThat(account.adapter().claim(request(KEY, offer, 2, MachineSpec.standard())))
                .isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(live()).hasSize(1);
    }

    @Test
    void theBalanceIsMoney() {
        assertThat(((SupportsBalance) account.adapter()).balance()).isEqualTo(Money.of("1000000.00", "CNY"));
    }

    // ---- steps ---------------------------------------------------------------------------------

    private static Price.Line line(LineKind kind, String description, String unitPrice) {
        return new Price.Line(
                kind, description, "instance-hour", BigDecimal.valueOf(240), new BigDecimal(unitPrice), "CNY");
    }

    private List<SimInstance> live() {
        return account.simulator().instances().stream()
                .filter(SimInstance::isLive)
                .toList();
    }

    private List<Offer> offers(List<Ask> asks) {
        return account.adapter()
                .offers(new OfferQuery(asks, window(), Set.of()))
                .available();
    }

    private void claim(ClaimKey key, int nodes, MachineSpec machine) {
        Offer offer = offers(List.of(new Ask(A100, nodes))).get(0);
        assertThat(account.adapter().claim(request(key, offer, nodes, machine)))
                .isInstanceOf(ClaimOutcome.Claimed.class);
    }

    private static ClaimRequest request(ClaimKey key, Offer offer, int nodes, MachineSpec machine) {
        return new ClaimRequest(
                key,
                "inst0001",
                offer,
                nodes,
                window(),
                AliyunPrices.HOURLY,
                window().end().plus(Duration.ofHours(1)),
                machine,
                null);
    }

    private static Window window() {
        return Window.of(NOW, Duration.ofDays(5));
    }
}
