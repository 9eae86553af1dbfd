package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.BootLimit;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.PoolView;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.quote.ExchangeRates;
import dev.gpubroker.broker.quote.Quoter;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.BookingRequest.Constraints;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import dev.gpubroker.broker.request.MachineWish;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A planning in the making: 8×A100 for 5 days from the 20th, asked on the 1st, until a test says otherwise. */
@org.jspecify.annotations.NullUnmarked
public final class Asked {
    public static final Instant NOW = Instant.parse("2026-12-01T02:00:00Z");
    public static final Window WINDOW = Window.of(Instant.parse("2026-12-19T16:00:00Z"), Duration.ofDays(5));
    public static final GpuModel A100 = new GpuModel("A100-SXM4-80GB", "A100", "nvidia", 80, "sxm", List.of());
    public static final GpuModel RTX4090 = new GpuModel("RTX4090", "RTX4090", "nvidia", 24, "consumer", List.of());

    private Window window = WINDOW;
    private int count = 8;
    private Integer nodes;
    private Substitution substitution = Substitution.ask();
    private Constraints constraints = Constraints.none();
    private dev.gpubroker.adapter.spi.Money maxTotal;
    private MachineWish machine;
    private BootLimit bootLimit;
    private boolean standInAsks;
    private LeadTimes leadTimes = (account, region, flavor) -> Optional.empty();
    private final List<PoolView> pools = new ArrayList<>();
    private final List<Place> places = new ArrayList<>();
    private final Map<String, String> onlyTo = new HashMap<>();
    private RecentRefusals refusals = RecentRefusals.none();
    private final List<Snapshot.Answer> answers = new ArrayList<>();

    public Asked from(Window other) {
        window = other;
        return this;
    }

    public Asked count(int gpus, Integer onNodes) {
        count = gpus;
        nodes = onNodes;
        return this;
    }

    public Asked substitution(Substitution.Mode mode, boolean asks) {
        substitution = new Substitution(mode, List.of("RTX4090"), null, false, false);
        standInAsks = asks;
        return this;
    }

    public Asked constraints(Constraints wishes) {
        constraints = wishes;
        return this;
    }

    public Asked maxTotal(String amount, String currency) {
        maxTotal = dev.gpubroker.adapter.spi.Money.of(amount, currency);
        return this;
    }

    public Asked machine(MachineWish wish) {
        machine = wish;
        return this;
    }

    /** Of the platforms named from here on. */
    public Asked bootLimit(BootLimit limit) {
        bootLimit = limit;
        return this;
    }

    public Asked leadTime(Duration high) {
        leadTimes =
                (account, region, flavor) -> Optional.of(new LeadTime(high, high, LeadTime.Source.HISTORY, 7, null));
        return this;
    }

    /** A platform that sells from stock by the hour: {@code nodes} machines of 8, or none. */
    public Asked stock(String platform, GpuModel model, int inStock, String hourly) {
        Flavor flavor = new Flavor(model.id(), 8);
        Offer offer = Offer.now("8x" + model.id(), flavor, "r1", null, Stock.of(Math.max(inStock, 1)));
        Offers offers = inStock > 0 ? new Offers(List.of(offer), List.of()) : Offers.none();
        int wanted = Math.max(1, count / 8);
        Map<String, List<Price>> prices = new HashMap<>();
        prices.put(offer.id(), List.of(hourly(hourly, wanted)));
        return answer(platform, model, offers, prices, null);
    }

    /** A pool of own machines of 8 with room. */
    public Asked pool(String name, GpuModel model) {
        pools.add(new PoolView("pol_" + name, name, model.id(), 8, 1));
        places.add(new Place("pol_" + name, name, model.id(), 8, List.of(new Place.Part("nod_1", "n1", 0, 8))));
        return this;
    }

    /** What is known of the platform is that only such customers may buy there. */
    public Asked sellsOnlyTo(String platform, String customerType) {
        onlyTo.put(platform, customerType);
        return this;
    }

    public Asked silent(String platform, GpuModel model) {
        return answer(platform, model, null, Map.of(), Reason.PLATFORM_UNAVAILABLE);
    }

    private Asked answer(
            String platform, GpuModel model, Offers offers, Map<String, List<Price>> prices, Reason silence) {
        Capabilities capabilities = Capabilities.of(platform, platform, "CNY")
                .shapes(List.of(
                        new Shape("8x" + model.id(), new Flavor(model.id(), 8), model.memoryGb(), "nvlink", Set.of())))
                .timedEnd()
                .bootLimit(bootLimit)
                .build();
        answers.add(new Snapshot.Answer(
                new Snapshot.AccountView(platform + "-sim", platform, capabilities, true, true, "auto"),
                "r1",
                List.of(new Ask(new Flavor(model.id(), 8), Math.max(1, count / 8))),
                offers,
                prices,
                silence,
                silence == null ? "" : "no answer within 2 s",
                NOW,
                Duration.ofMillis(40)));
        return this;
    }

    private Price hourly(String hourly, int wanted) {
        BigDecimal hours = BigDecimal.valueOf(window.length().toHours()).multiply(BigDecimal.valueOf(wanted));
        return new Price(
                "hour",
                window,
                List.of(new Price.Line(
                        LineKind.GPU, "instance", "instance-hour", hours, new BigDecimal(hourly), "CNY")));
    }

    public BookingRequest request() {
        return new BookingRequest(
                null,
                new BookingRequest.Gpu("A100", count, nodes, null, null),
                window,
                ZoneId.of("Asia/Shanghai"),
                constraints,
                substitution,
                null,
                machine,
                null,
                maxTotal,
                null,
                Map.of());
    }

    /** What a platform refused a moment ago. */
    public Asked refused(RecentRefusals.Refusal refusal) {
        refusals = new RecentRefusals(List.of(refusal));
        return this;
    }

    public Planning plan() {
        List<Candidate> candidates = new ArrayList<>(List.of(new Candidate(A100, null)));
        if (substitution.mode() != Substitution.Mode.NEVER) {
            candidates.add(new Candidate(
                    RTX4090,
                    new Plan.StandIn(
                            "A100",
                            "RTX4090",
                            Reason.SOLD_OUT,
                            "longer run time",
                            "运行时间更长",
                            new BigDecimal("1.89"),
                            "estimated",
                            standInAsks,
                            null)));
        }
        return new Planner(quoter())
                .plan(new PlanningInput(
                        request(),
                        candidates,
                        List.of(),
                        new Snapshot(window, NOW, answers),
                        places,
                        pools,
                        leadTimes,
                        refusals,
                        compliance(),
                        Policy.standard(),
                        NOW));
    }

    private PlanningInput.Compliance compliance() {
        return new PlanningInput.Compliance() {
            @Override
            public Optional<String> lacks(String platform, Set<String> ids, java.time.LocalDate on) {
                return ids.isEmpty() ? Optional.empty() : Optional.of("no evidence of " + ids);
            }

            @Override
            public boolean sellsTo(String platform, String customerType) {
                return onlyTo.getOrDefault(platform, customerType).equals(customerType);
            }
        };
    }

    public static Quoter quoter() {
        return new Quoter(ExchangeRates.shipped());
    }
}
