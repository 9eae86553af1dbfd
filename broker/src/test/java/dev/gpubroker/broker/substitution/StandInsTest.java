package dev.gpubroker.broker.substitution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.catalogue.FrameworkFits;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.catalogue.SubstitutionFacts;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.BookingRequest.Constraints;
import dev.gpubroker.broker.request.BookingRequest.Gpu;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import dev.gpubroker.broker.request.BookingRequest.Substitution.Mode;
import dev.gpubroker.broker.request.MachineWish;
import dev.gpubroker.broker.substitution.StandIn.ActsAs;
import dev.gpubroker.broker.substitution.StandIns.Ranking;
import dev.gpubroker.broker.substitution.StandIns.Rejection;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StandInsTest {
    private final GpuCatalogue catalogue = GpuCatalogue.shipped();
    private final StandIns standIns = new StandIns(catalogue, SubstitutionFacts.shipped(), FrameworkFits.shipped());

    @Test
    void eightRtx4090StandInForA100WhenNamed() {
        Ranking ranking = rank(asking("A100").mode(Mode.AUTO).models("RTX4090"));

        assertThat(ranking.candidates()).singleElement().satisfies(standIn -> {
            assertThat(standIn.model().id()).isEqualTo("RTX4090");
            assertThat(standIn.actsAs()).isEqualTo(ActsAs.AUTO);
            assertThat(standIn.expectedSlowdown()).isEqualByComparingTo("1.89");
            assertThat(standIn.reason())
                    .contains("RTX4090")
                    .contains("A100")
                    .contains("estimated")
                    .contains("24 GB");
            assertThat(standIn.reasonZh()).contains("估算");
        });
    }

    @Test
    void neverMeansNever() {
        Ranking ranking = rank(asking("A100").mode(Mode.NEVER).models("RTX4090"));

        assertThat(ranking.candidates()).isEmpty();
        assertThat(ranking.rejections()).isEmpty();
    }

    @Test
    void askedModelsAreNoSubstitutes() {
        Ranking ranking = rank(asking("A100").mode(Mode.ASK));

        assertThat(ranking.candidates()).extracting(s -> s.model().family()).doesNotContain("A100");
        assertThat(ranking.rejections()).extracting(r -> r.model().family()).doesNotContain("A100");
    }

    @Test
    void inModeAskEverythingAsks() {
        assertThat(rank(asking("A100").mode(Mode.ASK)).candidates())
                .isNotEmpty()
                .allMatch(standIn -> standIn.actsAs() == ActsAs.ASK);
    }

    /** S-05: A100 80 GB, H100 and 4090 may stand in, the job needs 40 GB. */
    @Test
    void tooLittleMemoryIsRefusedWithTheReason() {
        Ranking ranking =
                rank(asking("A100-SXM4-40GB").memory(40).mode(Mode.AUTO).models("A100-SXM4-80GB", "H100", "RTX4090"));

        assertThat(ids(ranking)).containsExactly("A100-SXM4-80GB", "H100-PCIE-80GB", "H100-NVL-94GB", "H100-SXM5-80GB");
        assertThat(rejection(ranking, "RTX4090")).satisfies(rejection -> {
            assertThat(rejection.reason()).isEqualTo(Reason.MEMORY_TOO_SMALL);
            assertThat(rejection.detail()).isEqualTo("the job needs 40 GB per GPU, RTX4090 has 24 GB");
        });
    }

    @Test
    void lessMemoryAsksUnlessTheModelIsNamed() {
        Ranking open = rank(asking("A100").mode(Mode.AUTO));

        assertThat(standIn(open, "RTX4090").actsAs()).isEqualTo(ActsAs.ASK);
        assertThat(standIn(open, "RTX4090").reason()).contains("less memory per GPU than 40 GB");
        assertThat(standIn(open, "A800-SXM4-40GB").actsAs()).isEqualTo(ActsAs.AUTO);
    }

    @Test
    void aJobThatStatesItsMemoryMayGetLessThanItAskedForWithoutAQuestion() {
        Ranking ranking = rank(asking("A100-SXM4-80GB").memory(20).mode(Mode.AUTO));

        assertThat(standIn(ranking, "RTX4090").actsAs()).isEqualTo(ActsAs.AUTO);
        assertThat(standIn(ranking, "A100-SXM4-40GB").actsAs()).isEqualTo(ActsAs.AUTO);
    }

    @Test
    void namedModelsKeepTheirOrder() {
        Ranking ranking = rank(asking("A100").mode(Mode.AUTO).models("RTX3090", "RTX4090", "A800"));

        assertThat(ids(ranking).subList(0, 2)).containsExactly("RTX3090", "RTX4090");
        assertThat(ids(ranking).get(2)).startsWith("A800");
    }

    @Test
    void withoutNamesTheLowestSlowdownIsFirst() {
        assertThat(rank(asking("A100").mode(Mode.ASK)).candidates())
                .extracting(StandIn::expectedSlowdown)
                .isSortedAccordingTo(BigDecimal::compareTo);
    }

    @Test
    void whatIsNotNamedIsNotAllowed() {
        Ranking ranking = rank(asking("A100").mode(Mode.AUTO).models("RTX4090"));

        assertThat(rejection(ranking, "H20").reason()).isEqualTo(Reason.NOT_ALLOWED_BY_POLICY);
        assertThat(rejection(ranking, "H20").detail()).contains("RTX4090");
    }

    @Test
    void tooSlowIsRefusedWithBothFigures() {
        Ranking ranking =
                rank(asking("A100").mode(Mode.AUTO).models("RTX4090", "A800").maxSlowdown("1.50"));

        assertThat(rejection(ranking, "RTX4090").reason()).isEqualTo(Reason.TOO_SLOW);
        assertThat(rejection(ranking, "RTX4090").detail())
                .isEqualTo("expected run time ×1.89 (estimated), at most ×1.50 is allowed");
        assertThat(ids(ranking)).isNotEmpty().allMatch(id -> id.startsWith("A800"));
    }

    @Test
    void theLimitItselfIsAllowed() {
        assertThat(ids(rank(asking("A100").mode(Mode.AUTO).models("RTX4090").maxSlowdown("1.89"))))
                .containsExactly("RTX4090");
    }

    @Test
    void aModelWithoutFiguresCannotBeJudged() {
        Ranking ranking = rank(asking("A100").mode(Mode.AUTO).models("Biren-BR106"));

        assertThat(rejection(ranking, "Biren-BR106").reason()).isEqualTo(Reason.TOO_SLOW);
        assertThat(rejection(ranking, "Biren-BR106").detail()).contains("run time is unknown");
    }

    @Test
    void nvlinkBetweenAllIsNotMetByCardsOrBridges() {
        Ranking ranking = rank(asking("H100-SXM5-80GB").interconnect("nvlink").models("H100", "RTX4090", "H20"));

        assertThat(ids(ranking)).containsExactly("H20");
        assertThat(rejection(ranking, "H100-NVL-94GB").reason()).isEqualTo(Reason.INTERCONNECT);
        assertThat(rejection(ranking, "RTX4090").reason()).isEqualTo(Reason.INTERCONNECT);
    }

    @Test
    void pcieIsAlsoMetByNvlink() {
        assertThat(ids(rank(asking("A100").interconnect("pcie").models("H800", "RTX4090"))))
                .contains("H800-SXM5-80GB", "RTX4090");
    }

    @Test
    void aStatedFormFactorHolds() {
        Ranking ranking = rank(asking("A100").formFactor("sxm").models("RTX4090", "A800"));

        assertThat(rejection(ranking, "RTX4090").reason()).isEqualTo(Reason.FORM_FACTOR);
        assertThat(rejection(ranking, "A800-PCIE-80GB").reason()).isEqualTo(Reason.FORM_FACTOR);
        assertThat(ids(ranking)).containsExactlyInAnyOrder("A800-SXM4-80GB", "A800-SXM4-40GB");
    }

    /** S-08, first half. */
    @Test
    void cudaOnlyWorkIsNotPutOnAscend() {
        Ranking ranking = rank(asking("A100").mode(Mode.AUTO).frameworks("cuda"));

        assertThat(rejection(ranking, "Ascend-910B3").reason()).isEqualTo(Reason.FRAMEWORK_UNFIT);
        assertThat(rejection(ranking, "Ascend-910B3").detail()).contains("cuda").contains("huawei");
        assertThat(ids(ranking)).contains("RTX4090");
    }

    /** S-08, second half. */
    @Test
    void pytorchOnAscendIsOfferedButAsks() {
        Ranking ranking = rank(asking("A100").mode(Mode.AUTO).memory(40).frameworks("pytorch"));

        assertThat(standIn(ranking, "Ascend-910B3")).satisfies(standIn -> {
            assertThat(standIn.actsAs()).isEqualTo(ActsAs.ASK);
            assertThat(standIn.expectedSlowdown()).isEqualByComparingTo("2.50");
            assertThat(standIn.reason()).contains("another software stack");
        });
    }

    @Test
    void anotherStackAsksEvenIfNoFrameworkIsStated() {
        assertThat(standIn(rank(asking("A100").mode(Mode.AUTO)), "Ascend-910B3").actsAs())
                .isEqualTo(ActsAs.ASK);
        assertThat(standIn(rank(asking("A100").mode(Mode.AUTO).models("Ascend-910B3")), "Ascend-910B3")
                        .actsAs())
                .isEqualTo(ActsAs.AUTO);
    }

    @Test
    void aFrameworkNobodyListedRunsWithinTheVendorOnly() {
        Ranking ranking = rank(asking("A100").frameworks("in-house-engine"));

        assertThat(ids(ranking)).contains("RTX4090");
        assertThat(rejection(ranking, "Ascend-910B3").reason()).isEqualTo(Reason.FRAMEWORK_UNFIT);
    }

    @Test
    void frameworksOfTheMachineCountToo() {
        MachineWish machine = new MachineWish(null, List.of("cuda"), List.of(), null, null, null);

        assertThat(rejection(rank(asking("A100").machine(machine)), "Ascend-910B3")
                        .reason())
                .isEqualTo(Reason.FRAMEWORK_UNFIT);
    }

    @Property(tries = 200)
    void everyCandidatePassesWhatWasStatedAndNothingIsBoth(
            @ForAll("families") String family, @ForAll @IntRange(min = 1, max = 150) int memory, @ForAll Mode mode) {
        Ranking ranking = rank(asking(family).memory(memory).mode(mode).maxSlowdown("2.00"));

        assertThat(ranking.candidates()).allSatisfy(standIn -> {
            assertThat(standIn.model().memoryGb()).isGreaterThanOrEqualTo(memory);
            assertThat(standIn.expectedSlowdown()).isBetween(BigDecimal.ONE, new BigDecimal("2.00"));
            assertThat(standIn.actsAs() == ActsAs.AUTO && mode != Mode.AUTO).isFalse();
        });
        List<GpuModel> rejected =
                ranking.rejections().stream().map(Rejection::model).toList();
        assertThat(ranking.candidates())
                .extracting(StandIn::model)
                .doesNotHaveDuplicates()
                .noneMatch(rejected::contains)
                .noneMatch(catalogue.variants(family)::contains);
    }

    @Provide
    Arbitrary<String> families() {
        return Arbitraries.of(
                catalogue.models().stream().map(GpuModel::family).distinct().toList());
    }

    private Ranking rank(Asking asking) {
        BookingRequest request = asking.build();
        return standIns.rank(request, catalogue.variants(request.gpu().model()));
    }

    private static List<String> ids(Ranking ranking) {
        return ranking.candidates().stream().map(s -> s.model().id()).toList();
    }

    private static StandIn standIn(Ranking ranking, String id) {
        return ranking.candidates().stream()
                .filter(s -> s.model().id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static Rejection rejection(Ranking ranking, String id) {
        return ranking.rejections().stream()
                .filter(r -> r.model().id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static Asking asking(String model) {
        return new Asking(model);
    }

    /** A request of which only what matters to a case is set. */
    private static final class Asking {
        private final String model;
        private Mode mode = Mode.AUTO;
        private List<String> models = List.of();
        private Set<String> frameworks = Set.of();
        private @Nullable Integer memory;
        private @Nullable String formFactor;
        private @Nullable String interconnect;
        private @Nullable BigDecimal maxSlowdown;
        private @Nullable MachineWish machine;

        Asking(String model) {
            this.model = model;
        }

        Asking mode(Mode value) {
            mode = value;
            return this;
        }

        Asking models(String... values) {
            models = List.of(values);
            return this;
        }

        Asking frameworks(String... values) {
            frameworks = Set.of(values);
            return this;
        }

        Asking memory(int value) {
            memory = value;
            return this;
        }

        Asking formFactor(String value) {
            formFactor = value;
            return this;
        }

        Asking interconnect(String value) {
            interconnect = value;
            return this;
        }

        Asking maxSlowdown(String value) {
            maxSlowdown = new BigDecimal(value);
            return this;
        }

        Asking machine(MachineWish value) {
            machine = value;
            return this;
        }

        BookingRequest build() {
            return new BookingRequest(
                    null,
                    new Gpu(model, 8, null, memory, formFactor),
                    new Window(Instant.parse("2026-12-20T00:00:00Z"), Instant.parse("2026-12-25T00:00:00Z")),
                    ZoneOffset.UTC,
                    new Constraints(
                            Set.of(), Set.of(), Set.of(), frameworks, null, interconnect, null, null, null, Set.of()),
                    new Substitution(mode, models, maxSlowdown, false, false),
                    null,
                    machine,
                    null,
                    null,
                    null,
                    Map.of());
        }
    }
}
