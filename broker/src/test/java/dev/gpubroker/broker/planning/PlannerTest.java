package dev.gpubroker.broker.planning;

import static dev.gpubroker.broker.planning.Asked.A100;
import static dev.gpubroker.broker.planning.Asked.NOW;
import static dev.gpubroker.broker.planning.Asked.RTX4090;
import static dev.gpubroker.broker.planning.Asked.WINDOW;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.BootLimit;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.request.BookingRequest.Constraints;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import dev.gpubroker.broker.request.MachineWish;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlannerTest {
    @Test
    void stockOfTodayIsTakenJustInTimeAndHeldEarlyOnlyWhenPicked() {
        Planning planning = new Asked().stock("aliyun", A100, 8, "277.93").plan();

        Plan first = planning.first(Plan::isExact).orElseThrow();
        assertThat(first.acquisition()).isEqualTo(Acquisition.JUST_IN_TIME);
        assertThat(first.certainty()).isEqualTo(Certainty.BEST_EFFORT);
        assertThat(first.costing().total()).isEqualTo(Money.of("33351.60", "CNY"));
        assertThat(first.actions()).contains(new Plan.Action("order", WINDOW.start()));
        assertThat(planning.plans())
                .filteredOn(plan -> plan.acquisition() == Acquisition.HOLD_EARLY)
                .isNotEmpty()
                .allMatch(Plan::needsPick)
                .allMatch(plan -> plan.costing().lines().stream()
                        .anyMatch(line -> line.kind() == dev.gpubroker.adapter.spi.LineKind.EARLY_HOLD));
    }

    @Test
    void theCheaperOfTwoEqualPlansComesFirst() {
        Planning planning = new Asked()
                .stock("aliyun", A100, 8, "277.93")
                .stock("zhixingyun", A100, 8, "39.20")
                .plan();

        assertThat(planning.plans().get(0).platform()).isEqualTo("zhixingyun");
    }

    @Test
    void anExactModelComesBeforeACheaperStandIn() {
        Planning planning = new Asked()
                .substitution(Substitution.Mode.AUTO, false)
                .stock("zhixingyun", RTX4090, 8, "16.00")
                .stock("aliyun", A100, 8, "277.93")
                .plan();

        assertThat(planning.plans().get(0).isExact()).isTrue();
    }

    @Test
    void soldOutStockIsWaitedForWhileTheLeadTimeFitsTheStart() {
        Planning planning = new Asked().stock("aliyun", A100, 0, "277.93").plan();

        Plan wait = planning.first(Plan::isExact).orElseThrow();
        assertThat(wait.stock()).isEqualTo(Plan.StockView.SOLD_OUT);
        assertThat(wait.leadTime().source()).isEqualTo(LeadTime.Source.ASSUMED);
        assertThat(wait.leadTime().high()).isEqualTo(Duration.ofDays(14));
        assertThat(planning.explanation()).anyMatch(each -> each.reason() == Reason.SOLD_OUT);
    }

    @Test
    void aLeadTimeBeyondTheStartRulesTheModelOutAndSaysSo() {
        Planning planning = new Asked()
                .leadTime(Duration.ofDays(20))
                .substitution(Substitution.Mode.AUTO, false)
                .stock("aliyun", A100, 0, "277.93")
                .stock("zhixingyun", RTX4090, 8, "16.00")
                .plan();

        assertThat(planning.first(Plan::isExact)).isEmpty();
        Plan standIn = planning.first(plan -> !plan.isExact()).orElseThrow();
        assertThat(standIn.substitution()).extracting(Plan.StandIn::because).isEqualTo(Reason.LEAD_TIME_TOO_LONG);
        assertThat(planning.explanation())
                .anyMatch(each -> each.reason() == Reason.LEAD_TIME_TOO_LONG
                        && each.platform().equals("aliyun"));
        assertThat(planning.watched()).hasSize(1);
        assertThat(planning.possible()).isTrue();
    }

    @Test
    void theUpperEndOfALeadTimeIsCompared() {
        Duration untilStart = Duration.between(NOW, WINDOW.start());

        assertThat(new Asked()
                        .leadTime(untilStart)
                        .stock("aliyun", A100, 0, "277.93")
                        .plan()
                        .first(Plan::isExact))
                .isPresent();
        assertThat(new Asked()
                        .leadTime(untilStart.plusHours(1))
                        .stock("aliyun", A100, 0, "277.93")
                        .plan()
                        .first(Plan::isExact))
                .isEmpty();
    }

    @Test
    void aSilentPlatformIsNamedAndStillPossible() {
        Planning planning = new Asked().silent("aliyun", A100).plan();

        assertThat(planning.explanation())
                .anyMatch(each -> each.platform().equals("aliyun") && each.reason() == Reason.PLATFORM_UNAVAILABLE);
        assertThat(planning.possible()).isTrue();
    }

    @Test
    void aPriceOfNearlyNothingCostsTheOfferAndNeverThePlatform() {
        Planning planning = new Asked()
                .stock("zhixingyun", A100, 8, "0.01")
                .stock("aliyun", A100, 8, "277.93")
                .plan();

        assertThat(planning.plans()).extracting(Plan::platform).containsOnly("aliyun");
        assertThat(planning.explanation())
                .anyMatch(each -> each.platform().equals("zhixingyun") && each.reason() == Reason.BAD_PRICE);
    }

    @Test
    void aLimitOfTheCallersRulesOutWhatIsDearer() {
        Planning planning = new Asked()
                .maxTotal("1000.00", "CNY")
                .stock("aliyun", A100, 8, "277.93")
                .plan();

        assertThat(planning.plans()).isEmpty();
        assertThat(planning.explanation()).anyMatch(each -> each.reason() == Reason.TOO_EXPENSIVE);
    }

    @Test
    void complianceIsNeverRelaxedForAStandIn() {
        Constraints wishes = new Constraints(
                Set.of(), Set.of(), Set.of("cn-mlps-3"), Set.of(), null, null, null, null, null, Set.of());
        Planning planning = new Asked()
                .constraints(wishes)
                .substitution(Substitution.Mode.AUTO, false)
                .stock("zhixingyun", RTX4090, 8, "16.00")
                .plan();

        assertThat(planning.plans()).isEmpty();
        assertThat(planning.explanation())
                .anyMatch(each -> each.model().equals("RTX4090") && each.reason() == Reason.NOT_COMPLIANT);
        assertThat(planning.possible()).isFalse();
    }

    @Test
    void aShapeThatThePlatformDoesNotSellIsSaid() {
        Planning planning =
                new Asked().count(4, null).stock("aliyun", A100, 8, "277.93").plan();

        assertThat(planning.plans()).isEmpty();
        assertThat(planning.explanation())
                .anyMatch(each -> each.reason() == Reason.SHAPE_NOT_OFFERED
                        && each.detail().contains("[8]"));
        assertThat(planning.possible()).isFalse();
    }

    @Test
    void fewerMachinesThanAskedAreSoldOut() {
        Planning planning =
                new Asked().count(16, null).stock("aliyun", A100, 1, "277.93").plan();

        assertThat(planning.explanation())
                .anyMatch(each ->
                        each.reason() == Reason.SOLD_OUT && each.detail().contains("fewer than 2"));
    }

    @Test
    void whatWasRefusedAMomentAgoIsPassedOverWhereItWouldBeBoughtNow() {
        Window now = Window.of(NOW, Duration.ofDays(5));
        Planning planning = new Asked()
                .from(now)
                .stock("aliyun", A100, 8, "277.93")
                .stock("zhixingyun", A100, 8, "300.00")
                .refused(refused("aliyun", Reason.SOLD_OUT))
                .plan();

        assertThat(planning.plans()).extracting(Plan::platform).doesNotContain("aliyun");
        assertThat(planning.explanation())
                .anyMatch(each ->
                        each.reason() == Reason.SOLD_OUT && each.detail().contains("although it was listed"));
    }

    @Test
    void aRefusalOfTodaySaysNothingOfAPurchaseInTwoWeeks() {
        Planning planning = new Asked()
                .stock("aliyun", A100, 8, "277.93")
                .refused(refused("aliyun", Reason.NO_QUOTA))
                .plan();

        assertThat(planning.first(Plan::isExact).orElseThrow().platform()).isEqualTo("aliyun");
    }

    private static RecentRefusals.Refusal refused(String platform, Reason reason) {
        return new RecentRefusals.Refusal(
                platform + "-sim", "r1", null, "8x" + A100.id(), reason, NOW, NOW.plus(Duration.ofMinutes(10)));
    }

    @Test
    void aStartThatHasJustPassedMeansFromNow() {
        Window begun = Window.of(NOW.minus(Duration.ofMinutes(20)), Duration.ofDays(1));
        Planning planning =
                new Asked().from(begun).stock("aliyun", A100, 8, "277.93").plan();

        assertThat(planning.plans().get(0).window()).isEqualTo(new Window(NOW, begun.end()));
    }

    @Test
    void aPlatformThatTheRequestAllowsAndNobodyConnectedIsNamed() {
        Planning planning = new Asked()
                .constraints(allowing(Set.of("tencent"), Set.of()))
                .stock("aliyun", A100, 8, "277.93")
                .plan();

        assertThat(planning.plans()).isEmpty();
        assertThat(planning.possible()).isFalse();
        assertThat(planning.explanation())
                .extracting(each -> each.platform() + " " + each.reason())
                .containsExactly("tencent NOT_ELIGIBLE", "aliyun NOT_ALLOWED_BY_POLICY");
    }

    @Test
    void aPlatformThatIsKnownToSellOnlyToCompaniesIsLeftAsideForAPerson() {
        Asked person = new Asked()
                .constraints(bought("personal"))
                .stock("aliyun", A100, 8, "277.93")
                .stock("tencent", A100, 8, "288.00")
                .sellsOnlyTo("aliyun", "company");

        assertThat(person.plan().plans()).extracting(Plan::platform).containsOnly("tencent");
        assertThat(person.plan().explanation())
                .extracting(each -> each.platform() + " " + each.reason())
                .contains("aliyun NOT_ELIGIBLE");
        assertThat(person.constraints(bought("company")).plan().plans().get(0).platform())
                .isEqualTo("aliyun");
        assertThat(person.constraints(Constraints.none()).plan().plans().get(0).platform())
                .as("who says nothing is ruled out nowhere")
                .isEqualTo("aliyun");
    }

    private static Constraints bought(String customerType) {
        return new Constraints(Set.of(), Set.of(), Set.of(), Set.of(), null, null, null, customerType, null, Set.of());
    }

    @Test
    void withoutAnyAccountTheExplanationIsNotEmpty() {
        assertThat(new Asked().plan().explanation())
                .extracting(Rejection::reason)
                .containsExactly(Reason.NOT_ELIGIBLE);
    }

    @Test
    void aRegionThatTheRequestLeavesOutIsSaidOnceAndNotOfEachModel() {
        Planning planning = new Asked()
                .constraints(allowing(Set.of(), Set.of("elsewhere")))
                .substitution(Substitution.Mode.AUTO, false)
                .stock("aliyun", A100, 8, "277.93")
                .plan();

        assertThat(planning.plans()).isEmpty();
        assertThat(planning.explanation())
                .extracting(each -> each.platform() + " " + each.model() + " " + each.reason())
                .containsExactly("aliyun A100 REGION");
    }

    @Test
    void ownMachinesLieInTheRegionOwnAndAreNotPlannedWhereItIsLeftOut() {
        Planning elsewhere = new Asked()
                .constraints(allowing(Set.of(), Set.of("cn-hangzhou")))
                .pool("lab", A100)
                .plan();

        assertThat(elsewhere.plans()).isEmpty();
        assertThat(elsewhere.possible()).isFalse();
        assertThat(elsewhere.explanation())
                .extracting(each -> each.platform() + " " + each.sku() + " " + each.reason())
                .containsExactly("pool lab REGION");
        assertThat(new Asked()
                        .constraints(allowing(Set.of(), Set.of("own")))
                        .pool("lab", A100)
                        .plan()
                        .plans())
                .extracting(Plan::region)
                .containsExactly("own");
    }

    @Test
    void ownMachinesAreLeftAsideAloudWhereOnlyPlatformsAreAllowed() {
        Planning planning = new Asked()
                .constraints(allowing(Set.of("aliyun"), Set.of()))
                .pool("lab", A100)
                .stock("aliyun", A100, 8, "277.93")
                .plan();

        assertThat(planning.plans())
                .isNotEmpty()
                .allMatch(plan -> plan.platform().equals("aliyun"));
        assertThat(planning.explanation())
                .anyMatch(each -> each.platform().equals("pool") && each.reason() == Reason.NOT_ALLOWED_BY_POLICY);
    }

    @Test
    void aPoolThatIsAskedForAndDoesNotExistIsSaid() {
        assertThat(new Asked()
                        .constraints(allowing(Set.of("pool"), Set.of()))
                        .stock("aliyun", A100, 8, "277.93")
                        .plan()
                        .explanation())
                .extracting(each -> each.platform() + " " + each.reason())
                .contains("pool NOT_OFFERED");
    }

    private static Constraints allowing(Set<String> platforms, Set<String> regions) {
        return new Constraints(platforms, regions, Set.of(), Set.of(), null, null, null, null, null, Set.of());
    }

    /** Keys count 100 bytes each here, and the script its own. */
    private static final BootLimit SHORT = new BootLimit(
            16_384,
            machine -> 100 * machine.sshKeys().size()
                    + (machine.startupScript() == null
                            ? 0
                            : machine.startupScript().getBytes(UTF_8).length));

    private static MachineWish script(String text) {
        return new MachineWish(null, List.of(), List.of("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA"), text, null, null);
    }

    @Test
    void aScriptThatThePlatformWouldNotTakeIsNoPlanThereAndSaysHowLongIsTooLong() {
        Planning planning = new Asked()
                .machine(script("长".repeat(5_600)))
                .stock("zhixingyun", A100, 8, "200.00")
                .bootLimit(SHORT)
                .stock("aliyun", A100, 8, "100.00")
                .plan();

        assertThat(planning.plans()).extracting(Plan::platform).containsOnly("zhixingyun");
        assertThat(planning.explanation())
                .filteredOn(
                        each -> each.platform().equals("aliyun") && each.model().equals(A100.id()))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.reason()).isEqualTo(Reason.NOT_OFFERED);
                    assertThat(each.detail()).contains("at most 16384 bytes", "SSH keys 100, start-up script 16800");
                    assertThat(each.detailZh()).contains("最多 16384 字节", "启动脚本 16800");
                });
    }

    @Test
    void thereIsRoomForTheLineWithWhichMachinesCallHome() {
        Asked fits = new Asked().bootLimit(SHORT).machine(script("x".repeat(15_784)));
        Asked tooLong = new Asked().bootLimit(SHORT).machine(script("x".repeat(15_785)));

        assertThat(fits.stock("aliyun", A100, 8, "100.00").plan().plans()).isNotEmpty();
        assertThat(tooLong.stock("aliyun", A100, 8, "100.00").plan().plans()).isEmpty();
    }
}
