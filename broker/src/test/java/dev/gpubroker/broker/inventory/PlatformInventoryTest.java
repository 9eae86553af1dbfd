package dev.gpubroker.broker.inventory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.config.MachineSettings;
import dev.gpubroker.broker.platform.FakeAccounts;
import dev.gpubroker.broker.platform.FakeAdapter;
import dev.gpubroker.broker.platform.ManualWall;
import dev.gpubroker.broker.request.MachineWish;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PlatformInventoryTest {
    /** Short, so that tests of silence are; long enough for a slow machine to answer in. */
    private static final Duration DEADLINE = Duration.ofSeconds(1);

    private static final Instant NOW = Instant.parse("2026-12-01T02:00:00Z");
    private static final Flavor A100 = new Flavor("A100-SXM4-80GB", 8);
    private static final Flavor OTHER = new Flavor("V100-SXM2-32GB", 8);
    private static final Window WINDOW = Window.of(Instant.parse("2026-12-20T00:00:00Z"), Duration.ofDays(5));

    private final Vertx vertx = Vertx.vertx();
    private final ManualWall wall = new ManualWall();
    private final CountDownLatch end = new CountDownLatch(1);
    private final FakeAdapter one = FakeAdapter.selling("one");
    private final FakeAdapter two = FakeAdapter.selling("two");
    private final List<String> seen = new ArrayList<>();

    @AfterEach
    void close() {
        end.countDown();
        vertx.close().await();
    }

    @Test
    void everyAccountAnswersWithOffersAndPrices() {
        one.offers = query -> available(Offer.now("sku-a100", A100, "here", "z1", Stock.of(3)));
        one.prices = query -> List.of(price("10.5"));
        two.offers = query -> available(Offer.now("sku-a100", A100, "here", null, Stock.scarce()));

        Snapshot snapshot = ask(of(one, two));

        assertThat(snapshot.answers())
                .extracting(answer -> answer.account().id())
                .containsExactly("one", "two");
        Snapshot.Answer first = snapshot.answers().get(0);
        assertThat(first.silence()).isNull();
        assertThat(first.prices()).containsOnlyKeys("here/z1/sku-a100");
        assertThat(snapshot.answers().get(1).prices()).isEmpty();
        assertThat(snapshot.asOf()).isEqualTo(NOW);
        assertThat(snapshot.window()).isEqualTo(WINDOW);
    }

    @Test
    void aPlatformThatHangsIsNamedAtTheDeadlineAndDelaysNobody() {
        one.offers = query -> {
            throw held();
        };
        two.offers = query -> available(Offer.now("sku-a100", A100, "here", null, Stock.plenty()));
        two.prices = query -> List.of(price("10.5"));

        long begun = System.nanoTime();
        Snapshot snapshot = ask(of(one, two));
        Duration took = Duration.ofNanos(System.nanoTime() - begun);

        assertThat(took).isBetween(DEADLINE.minusMillis(50), DEADLINE.plusSeconds(10));
        Snapshot.Answer silent = snapshot.answers().get(0);
        assertThat(silent.silence()).isEqualTo(Reason.PLATFORM_UNAVAILABLE);
        assertThat(silent.silenceDetail()).isEqualTo("no answer within 1 s");
        assertThat(silent.offers()).isNull();
        assertThat(snapshot.answers().get(1).prices()).hasSize(1);
    }

    @Test
    void aPlatformThatHangsOnEveryPriceIsNamedAndKeepsItsOffers() {
        one.offers = query -> available(Offer.now("sku-a100", A100, "here", null, Stock.plenty()));
        one.prices = query -> {
            throw held();
        };

        Snapshot.Answer answer = ask(of(one)).answers().get(0);

        assertThat(answer.silence()).isEqualTo(Reason.PLATFORM_UNAVAILABLE);
        assertThat(requireNonNull(answer.offers()).available()).hasSize(1);
    }

    @Test
    void aFaultNamesItsReason() {
        one.offers = query -> {
            throw new PlatformFault(PlatformFault.Kind.BAD_CREDENTIALS, "InvalidAccessKeyId.NotFound");
        };
        two.offers = query -> {
            throw new IllegalStateException("a bug");
        };

        Snapshot snapshot = ask(of(one, two));

        assertThat(snapshot.answers().get(0).silence()).isEqualTo(Reason.BAD_CREDENTIALS);
        assertThat(snapshot.answers().get(0).silenceDetail()).isEqualTo("InvalidAccessKeyId.NotFound");
        assertThat(snapshot.answers().get(1).silence()).isEqualTo(Reason.PLATFORM_UNAVAILABLE);
    }

    @Test
    void aPriceThatFailsCostsItsOfferAndNotTheAnswer() {
        one.offers = query -> available(
                Offer.now("sku-a100", A100, "here", "z1", Stock.plenty()),
                Offer.now("sku-a100", A100, "here", "z2", Stock.plenty()));
        one.prices = query -> {
            if ("z1".equals(query.offer().zone())) {
                throw new PlatformFault(PlatformFault.Kind.BAD_REQUEST, "PriceNotFound");
            }
            return List.of(price("10.5"));
        };

        Snapshot.Answer answer = ask(of(one)).answers().get(0);

        assertThat(answer.silence()).isNull();
        assertThat(answer.prices()).containsOnlyKeys("here/z2/sku-a100");
    }

    @Test
    void whatIsSoldOutIsPricedUnderTheIdThatPlanningLooksUp() {
        one.prices = query -> {
            assertThat(query.offer()).isEqualTo(Offer.now("sku-a100", A100, "here", null, Stock.unknown()));
            assertThat(query.window()).isEqualTo(WINDOW);
            return List.of(price("10.5"));
        };

        assertThat(ask(of(one)).answers().get(0).prices()).containsOnlyKeys("here/sku-a100");
        assertThat(await(of(one).snapshot(query(false, Set.of(), Set.of())))
                        .answers()
                        .get(0)
                        .prices())
                .isEmpty();
    }

    @Test
    void askersOfTheSameShareOneCall() throws InterruptedException {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        one.offers = query -> {
            await(mayAnswer);
            return available(Offer.now("sku-a100", A100, "here", null, Stock.plenty()));
        };
        one.prices = query -> List.of(price("10.5"));
        PlatformInventory inventory = of(one);

        List<Future<Snapshot>> askers = new ArrayList<>();
        CountDownLatch allAsked = new CountDownLatch(1);
        Context context = vertx.getOrCreateContext();
        context.runOnContext(go -> {
            for (int i = 0; i < 20; i++) {
                askers.add(inventory.snapshot(query(true, Set.of(), Set.of())));
            }
            context.runOnContext(then -> allAsked.countDown()); // After all of them have asked.
        });
        await(allAsked);
        mayAnswer.countDown();
        askers.forEach(
                asker -> assertThat(await(asker).answers().get(0).prices()).hasSize(1));

        assertThat(one.offerCalls).hasValue(1);
    }

    @Test
    void theSameCallUnderWayIsMadeOnce() {
        AtomicInteger made = new AtomicInteger();
        SharedReads<String, String> shared = new SharedReads<>(wall);
        io.vertx.core.Promise<String> answer = io.vertx.core.Promise.promise();
        for (int i = 0; i < 20; i++) {
            shared.get("key", Duration.ZERO, () -> {
                made.incrementAndGet();
                return answer.future();
            });
        }
        answer.complete("there");
        shared.get("key", Duration.ZERO, () -> {
            made.incrementAndGet();
            return Future.succeededFuture("afresh");
        });

        assertThat(made).hasValue(2);
    }

    @Test
    void aYoungAnswerIsUsedAgainWithItsAge() {
        FakeAdapter real = new FakeAdapter(FakeAdapter.sellsA100("real")
                .minInterval(Duration.ofSeconds(30))
                .build());
        real.offers = query -> available(Offer.now("sku-a100", A100, "here", null, Stock.plenty()));
        real.prices = query -> List.of(price("10.5"));
        PlatformInventory inventory = new PlatformInventory(
                vertx, new FakeAccounts().with(real).lanes(vertx), wall, wall, this::listen, DEADLINE);

        ask(inventory);
        wall.advance(Duration.ofSeconds(29));
        Snapshot young = ask(inventory);
        assertThat(real.offerCalls).hasValue(1);
        assertThat(real.priceCalls).hasValue(1);
        assertThat(young.answers().get(0).asOf()).isEqualTo(wall.instant().minusSeconds(29));
        assertThat(young.asOf()).isEqualTo(wall.instant());
        wall.advance(Duration.ofSeconds(2));
        ask(inventory);
        assertThat(real.offerCalls).hasValue(2);
        inventory.discard();
        ask(inventory);
        assertThat(real.offerCalls).hasValue(3);
    }

    @Test
    void aLateAnswerWarmsTheNext() {
        FakeAdapter real = new FakeAdapter(FakeAdapter.sellsA100("real")
                .minInterval(Duration.ofSeconds(30))
                .build());
        real.offers = query -> {
            await(end);
            return available(Offer.now("sku-a100", A100, "here", null, Stock.plenty()));
        };
        CountDownLatch arrived = new CountDownLatch(1);
        PlatformInventory inventory = new PlatformInventory(
                vertx,
                new FakeAccounts().with(real).lanes(vertx),
                wall,
                wall,
                (account, region, asked, offers, at) -> arrived.countDown(),
                Duration.ofMillis(200));
        Inventory.Query query = query(false, Set.of(), Set.of());

        assertThat(await(inventory.stock(query)).answers().get(0).silence()).isEqualTo(Reason.PLATFORM_UNAVAILABLE);
        end.countDown();
        await(arrived);

        assertThat(await(inventory.stock(query)).answers().get(0).silence()).isNull();
        assertThat(real.offerCalls).hasValue(1);
    }

    @Test
    void aSimulatedPlatformIsAskedAfreshEveryTime() {
        PlatformInventory inventory = of(one);

        ask(inventory);
        ask(inventory);

        assertThat(one.offerCalls).hasValue(2);
        assertThat(seen).containsExactly("one here", "one here");
    }

    @Test
    void onlyTheWantedPlatformsAndRegionsAreAsked() {
        PlatformInventory inventory = new PlatformInventory(
                vertx,
                new FakeAccounts().with(one, "here", "there").with(two).lanes(vertx),
                wall,
                wall,
                this::listen,
                DEADLINE);

        Snapshot snapshot = await(inventory.snapshot(query(true, Set.of("one"), Set.of("there"))));

        // The others are in the picture all the same, so that nothing is left aside in silence.
        assertThat(snapshot.answers())
                .extracting(answer -> answer.account().id() + " " + answer.region() + " "
                        + answer.asked().size())
                .containsExactly("one here 0", "one there 1", "two here 0");
        assertThat(one.offerCalls).hasValue(1);
        assertThat(two.offerCalls).hasValue(0);
    }

    @Test
    void anAccountIsAskedForWhatItSellsInThatRegionOnly() {
        Shape elsewhere = new Shape("sku-v100", OTHER, 32, "nvlink", Set.of("there"));
        FakeAdapter picky = new FakeAdapter(Capabilities.of("picky", "picky", "CNY")
                .shapes(List.of(elsewhere))
                .minInterval(Duration.ZERO)
                .build());

        Snapshot snapshot = ask(of(picky));

        assertThat(snapshot.answers()).hasSize(1);
        assertThat(snapshot.answers().get(0).asked()).isEmpty();
        assertThat(snapshot.answers().get(0).offers()).isEqualTo(Offers.none());
        assertThat(snapshot.answers().get(0).silence()).isNull();
        assertThat(picky.offerCalls).hasValue(0);
    }

    @Test
    void aForwardOfferIsPricedOverItsOwnWindowAndAWindowThatHasBegunFromNowOn() {
        Window sold = new Window(WINDOW.start().minusSeconds(3600), WINDOW.end().plusSeconds(3600));
        Offer block =
                new Offer("cb-1", "sku-a100", A100, "here", null, Term.FORWARD, Stock.of(1), sold, null, Map.of());
        Offer now = Offer.now("sku-a100", A100, "here", null, Stock.plenty());
        Window begun = new Window(NOW.minusSeconds(60), NOW.plus(Duration.ofDays(1)));

        List<PriceChoice.Target> targets = new PriceChoice(
                        List.of(new Ask(A100, 1)), one.capabilities(), "here", begun, NOW)
                .of(available(block, now), true);

        assertThat(targets)
                .containsExactly(
                        new PriceChoice.Target(block, 1, sold),
                        new PriceChoice.Target(now, 1, Window.of(NOW, begun.length())));
    }

    /** A disk that the account puts into every machine is in the price, unless the booking says that it wants none. */
    @Test
    void whatTheAccountAddsToAMachineIsPriced() {
        MachineWish usual = new MachineWish(null, List.of(), List.of(), null, 500, null);
        List<Integer> disks = new ArrayList<>();
        one.prices = query -> {
            synchronized (disks) {
                disks.add(query.machine().dataDiskGb());
            }
            return List.of(price("1"));
        };
        PlatformInventory inventory = new PlatformInventory(
                vertx,
                new FakeAccounts()
                        .withMachines(one, new MachineSettings(usual, MachineSettings.Readiness.AUTO, null))
                        .lanes(vertx),
                wall,
                wall,
                this::listen,
                DEADLINE);

        ask(inventory);
        await(inventory.snapshot(new Inventory.Query(
                List.of(new Ask(A100, 1)),
                WINDOW,
                Set.of(),
                Set.of(),
                new MachineWish(null, List.of(), List.of(), null, 0, null),
                true)));

        assertThat(disks).containsExactly(500, 0);
    }

    @Test
    void oneZoneOfEverySkuIsPricedBeforeTheSecondOfAny() {
        List<Offer> offers = new ArrayList<>();
        for (String zone : List.of("z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8", "z9")) {
            offers.add(Offer.now("sku-a100", A100, "here", zone, Stock.plenty()));
            offers.add(Offer.now("sku-v100", OTHER, "here", zone, Stock.plenty()));
        }

        List<PriceChoice.Target> targets = new PriceChoice(
                        List.of(new Ask(OTHER, 1), new Ask(A100, 1)), one.capabilities(), "here", WINDOW, NOW)
                .of(new Offers(offers, List.of()), true);

        assertThat(targets).hasSize(PriceChoice.MOST);
        assertThat(targets.subList(0, 3))
                .extracting(target -> target.offer().id())
                .containsExactly("here/z1/sku-v100", "here/z1/sku-a100", "here/z2/sku-v100");
    }

    @Test
    void tooFewMachinesAreSoldOutAndOtherReasonsAreNot() {
        Offers few = available(Offer.now("sku-a100", A100, "here", null, Stock.of(1)));
        Offers noQuota = new Offers(
                List.of(), List.of(new Offers.Missing("sku-a100", A100, "here", Reason.NO_QUOTA, "quota 0", null)));
        PriceChoice choice = new PriceChoice(List.of(new Ask(A100, 2)), one.capabilities(), "here", WINDOW, NOW);

        assertThat(choice.of(few, true)).extracting(PriceChoice.Target::nodes).containsExactly(2);
        assertThat(choice.of(noQuota, true)).isEmpty();
    }

    @Test
    void stockAloneAsksForNoPrice() {
        one.offers = query -> available(Offer.now("sku-a100", A100, "here", null, Stock.plenty()));

        Snapshot snapshot = await(of(one).stock(query(true, Set.of(), Set.of())));

        assertThat(requireNonNull(snapshot.answers().get(0).offers()).available())
                .hasSize(1);
        assertThat(one.priceCalls).hasValue(0);
    }

    // ---- helpers ---------------------------------------------------------------------------------

    private PlatformInventory of(FakeAdapter... adapters) {
        FakeAccounts accounts = new FakeAccounts();
        for (FakeAdapter adapter : adapters) {
            accounts.with(adapter);
        }
        return new PlatformInventory(vertx, accounts.lanes(vertx), wall, wall, this::listen, DEADLINE);
    }

    private void listen(Snapshot.AccountView account, String region, List<Ask> asked, Offers offers, Instant at) {
        synchronized (seen) {
            seen.add(account.id() + " " + region);
        }
    }

    private static Snapshot ask(PlatformInventory inventory) {
        return await(inventory.snapshot(query(true, Set.of(), Set.of())));
    }

    private static Inventory.Query query(boolean soldOutToo, Set<String> platforms, Set<String> regions) {
        return new Inventory.Query(
                List.of(new Ask(A100, 1)), WINDOW, platforms, regions, MachineWish.none(), soldOutToo);
    }

    private static Offers available(Offer... offers) {
        return new Offers(List.of(offers), List.of());
    }

    private static Price price(String unitPrice) {
        return new Price(
                "hourly",
                WINDOW,
                List.of(new Price.Line(
                        LineKind.GPU,
                        "8×A100",
                        "instance-hour",
                        BigDecimal.valueOf(120),
                        new BigDecimal(unitPrice),
                        "CNY")));
    }

    private PlatformFault held() {
        await(end);
        return new PlatformFault(PlatformFault.Kind.TIMED_OUT, "held until the test ended");
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("held for ever");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
