package dev.gpubroker.broker.planning;

import static dev.gpubroker.broker.planning.Asked.NOW;
import static dev.gpubroker.broker.planning.Asked.RTX4090;
import static dev.gpubroker.broker.planning.Asked.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.PoolView;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.BookingRequest.Constraints;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a slower model may take beyond what was asked. */
class StretchesTest {
    private static final Window FIVE_DAYS = WINDOW;

    @ParameterizedTest(name = "{0} GPUs at ×{1}, sold by {2}: {3}")
    @CsvSource({
        "8, 1.89, 8, 16",
        "8, 1.10, 8, 16",
        "4, 1.30, 1;2;4;8, 8",
        "4, 1.30, 6, 6",
        "1, 1.30, 1;2;4;8, 2",
        "16, 1.30, 8, 24",
        "8, 2.62, 8, 16",
        "8, 1.89, 4, none",
        "2, 1.30, 8, none"
    })
    void theCountMakesUpForTheSlowdownRoundedUpToWhatIsSoldAndIsAtMostTwice(
            int count, String slowdown, String sold, String expected) {
        List<String> counts = stretches(request(count, true, false, null), sold).of(List.of(slower(slowdown))).stream()
                .map(each -> String.valueOf(each.request().gpu().count()))
                .toList();

        assertThat(counts.isEmpty() ? List.of("none") : counts).containsExactly(expected);
    }

    @Test
    void theWindowGrowsByTheSlowdownToTheNextFullHourAndTheCountStays() {
        Stretches.Stretched one = only(stretches(request(8, false, true, null), "8"), "1.89");

        assertThat(one.request().window()).isEqualTo(Window.of(FIVE_DAYS.start(), Duration.ofHours(227)));
        assertThat(one.request().gpu().count()).isEqualTo(8);
        assertThat(standIn(one).expectedSlowdown()).isEqualByComparingTo("1.89");
        assertThat(standIn(one).reason())
                .contains("until 2026-12-29T11:00:00+08:00 instead of 2026-12-25T00:00:00+08:00");
        assertThat(standIn(one).reasonZh()).contains("至 2026-12-29T11:00:00+08:00");
    }

    @Test
    void withBothTheWindowGrowsOnlyByWhatMoreGpusLeave() {
        List<Stretches.Stretched> all =
                stretches(request(8, true, true, null), "8").of(List.of(slower("2.62")));

        assertThat(all).extracting(each -> each.request().gpu().count()).containsExactly(16, 8);
        assertThat(all.get(0).request().window().length()).isEqualTo(Duration.ofHours(158));
        assertThat(standIn(all.get(0)).expectedSlowdown()).isEqualByComparingTo("1.31");
        assertThat(standIn(all.get(0)).basis()).isEqualTo("estimated");
        assertThat(standIn(all.get(0)).reason()).contains("16 GPUs instead of 8");
        assertThat(standIn(all.get(0)).reasonZh()).contains("16 张卡（原为 8 张）");
    }

    @Test
    void aModelThatIsTooSlowByItselfMayDoWithMoreGpusAndNotWithMoreTime() {
        BookingRequest scaled = request(8, true, false, "1.5");
        BookingRequest longer = request(8, false, true, "1.5");

        assertThat(Stretches.lenient(scaled).substitution().maxSlowdown()).isEqualByComparingTo("3.0");
        assertThat(stretches(scaled, "8").of(List.of(slower("1.89")))).hasSize(1);
        assertThat(Stretches.lenient(longer)).isEqualTo(longer);
        assertThat(stretches(longer, "8").of(List.of(slower("1.89")))).isEmpty();
        assertThat(stretches(request(8, true, false, "1.2"), "8").of(List.of(slower("2.62"))))
                .isEmpty();
    }

    @Test
    void aLinkThatTheRequestStatesKeepsTheGpusInOneMachine() {
        Constraints linked =
                new Constraints(Set.of(), Set.of(), Set.of(), Set.of(), null, "nvlink", null, null, null, Set.of());

        assertThat(stretches(with(request(8, true, false, null), linked), "8").of(List.of(slower("1.89"))))
                .isEmpty();
        assertThat(stretches(with(request(4, true, false, null), linked), "8").of(List.of(slower("1.89"))))
                .hasSize(1);
    }

    @Test
    void aPoolGivesAnyPartOfOneOfItsMachines() {
        List<PoolView> pools = List.of(new PoolView("pol_1", "gaming", "RTX4090", 8, 1));
        Stretches four = new Stretches(request(4, true, false, null), nobody(), pools);
        Stretches eight = new Stretches(request(8, true, false, null), nobody(), pools);

        assertThat(only(four, "1.30").request().gpu().count()).isEqualTo(6);
        assertThat(eight.of(List.of(slower("1.30")))).as("it has one machine").isEmpty();
    }

    @Test
    void nothingIsLookedAtUnlessItIsAskedForOrForWhatIsAsFast() {
        assertThat(Stretches.areWanted(request(8, false, false, null))).isFalse();
        assertThat(Stretches.areWanted(request(8, true, false, null))).isTrue();
        assertThat(stretches(request(8, true, true, null), "8").of(List.of(slower("1.00"))))
                .isEmpty();
    }

    @Property(tries = 300)
    void whatTheRequestForbidsIsNeverRelaxedAndTheStretchCanBeUndone(
            @ForAll @IntRange(min = 1, max = 64) int count,
            @ForAll @IntRange(min = 101, max = 500) int percent,
            @ForAll boolean scale,
            @ForAll boolean extend) {
        Constraints strict = new Constraints(
                Set.of("aliyun"),
                Set.of("r1"),
                Set.of("cn-mlps-3"),
                Set.of("pytorch"),
                null,
                null,
                null,
                "company",
                "cn",
                Set.of("dedicatedHost"));
        BookingRequest asked = with(request(count, scale, extend, null), strict).withMaxTotal(Money.of("10.00", "CNY"));
        String slowdown = BigDecimal.valueOf(percent, 2).toPlainString();

        for (Stretches.Stretched each : stretches(asked, "1;2;4;8").of(List.of(slower(slowdown)))) {
            BookingRequest larger = each.request();
            assertThat(larger.gpu().count()).isBetween(count, 2 * count);
            assertThat(larger.window().end()).isAfterOrEqualTo(asked.window().end());
            assertThat(larger.constraints()).isEqualTo(strict);
            assertThat(larger.maxTotal()).isEqualTo(asked.maxTotal());
            assertThat(standIn(each).expectedSlowdown()).isBetween(BigDecimal.ONE, new BigDecimal(slowdown));
            assertThat(java.util.Objects.requireNonNull(standIn(each).stretch()).undone(larger))
                    .isEqualTo(asked);
        }
    }

    @Test
    void itsShareOfThePriceIsThatOfItsGpuHours() {
        Stretch twice = new Stretch(8, FIVE_DAYS.end(), 16, FIVE_DAYS.end());
        Stretch half = new Stretch(8, FIVE_DAYS.end(), 8, FIVE_DAYS.end().plus(Duration.ofDays(5)));

        assertThat(twice.share(FIVE_DAYS.start())).isEqualByComparingTo("0.5");
        assertThat(half.share(FIVE_DAYS.start())).isEqualByComparingTo("0.5");
    }

    private static Stretches.Stretched only(Stretches stretches, String slowdown) {
        List<Stretches.Stretched> all = stretches.of(List.of(slower(slowdown)));
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private static Plan.StandIn standIn(Stretches.Stretched one) {
        return java.util.Objects.requireNonNull(one.candidate().standIn());
    }

    private static Stretches stretches(BookingRequest request, String gpusPerNode) {
        List<Shape> shapes = Arrays.stream(gpusPerNode.split(";"))
                .map(Integer::parseInt)
                .map(gpus -> new Shape(gpus + "x", new Flavor("RTX4090", gpus), 24, "pcie", Set.of()))
                .toList();
        Capabilities sold = Capabilities.of("aliyun", "aliyun", "CNY")
                .shapes(shapes)
                .timedEnd()
                .build();
        Snapshot.Answer answer = new Snapshot.Answer(
                new Snapshot.AccountView("aliyun-sim", "aliyun", sold, true, true, "auto"),
                "r1",
                List.of(),
                Offers.none(),
                Map.of(),
                null,
                "",
                NOW,
                Duration.ZERO);
        return new Stretches(request, new Snapshot(FIVE_DAYS, NOW, List.of(answer)), List.of());
    }

    private static Snapshot nobody() {
        return new Snapshot(FIVE_DAYS, NOW, List.of());
    }

    private static Candidate slower(String slowdown) {
        return new Candidate(
                RTX4090,
                new Plan.StandIn(
                        "A100",
                        "RTX4090",
                        Reason.SOLD_OUT,
                        "longer run time.",
                        "运行时间更长。",
                        new BigDecimal(slowdown),
                        "measured",
                        false,
                        null));
    }

    private static BookingRequest request(int count, boolean scale, boolean extend, String maxSlowdown) {
        return new BookingRequest(
                null,
                new BookingRequest.Gpu("A100", count, null, null, null),
                FIVE_DAYS,
                ZoneId.of("Asia/Shanghai"),
                Constraints.none(),
                new Substitution(
                        Substitution.Mode.ASK,
                        List.of(),
                        maxSlowdown == null ? null : new BigDecimal(maxSlowdown),
                        scale,
                        extend),
                null,
                null,
                null,
                null,
                null,
                Map.of());
    }

    private static BookingRequest with(BookingRequest request, Constraints constraints) {
        return new BookingRequest(
                request.phrase(),
                request.gpu(),
                request.window(),
                request.timeZone(),
                constraints,
                request.substitution(),
                request.onUnavailable(),
                request.machine(),
                request.atEnd(),
                request.maxTotal(),
                request.title(),
                request.labels());
    }
}
