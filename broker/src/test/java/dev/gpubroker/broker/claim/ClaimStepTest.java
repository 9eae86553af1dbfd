package dev.gpubroker.broker.claim;

import static dev.gpubroker.broker.claim.ScriptedPlatform.ref;
import static dev.gpubroker.broker.claim.ScriptedPlatform.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.platform.FakeAdapter;
import java.math.BigDecimal;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Claims whose outcome is not what one would wish: cases O-01 to O-11. */
class ClaimStepTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private ScriptedPlatform platform;
    private ClaimLedger ledger;

    @BeforeEach
    void emptyLedger() {
        DATABASE.execute("DELETE FROM task; DELETE FROM node; DELETE FROM claim; DELETE FROM due_work");
        platform = new ScriptedPlatform(FakeAdapter.sellsA100("scripted").build());
        ledger = new ClaimLedger(DATABASE, platform);
    }

    private void neitherTokenNorRefund() {
        Capabilities capabilities = FakeAdapter.sellsA100("scripted")
                .refund(new RefundTerms(RefundTerms.Rule.NONE, BigDecimal.ZERO, "test"))
                .build();
        platform = new ScriptedPlatform(capabilities);
        ledger = new ClaimLedger(DATABASE, platform);
    }

    private static Finding.Found found() {
        return new Finding.Found(ref("i-1"), status(ClaimStatus.Phase.RUNNING));
    }

    @Test
    void aClaimWithoutAnAnswerIsLookedForAndNeverSentAgain() {
        Claim claim = ledger.intended();

        Claim absent = ledger.stepUntil(claim, ClaimState.ABSENT, 30);

        assertThat(absent.state()).isEqualTo(ClaimState.ABSENT);
        assertThat(platform.timesCalled("claim")).isEqualTo(1);
        assertThat(platform.timesCalled("find")).isGreaterThanOrEqualTo(3);
        assertThat(platform.calls).doesNotContain("release");
    }

    @Test
    void oneLookRightAfterTheCallProvesNothing() {
        Claim claim = ledger.intended();
        ledger.step(claim);
        ledger.pass(Duration.ofSeconds(5));
        ledger.step(claim);
        ledger.pass(Duration.ofMinutes(4));
        platform.onFind = ClaimStepTest::found;

        assertThat(ledger.stepUntil(claim, ClaimState.CLAIMED, 5).state()).isEqualTo(ClaimState.CLAIMED);
        assertThat(ledger.read(claim).ref()).isEqualTo(ref("i-1"));
    }

    @Test
    void aPlatformThatCannotTellNeverMakesAClaimAbsent() {
        platform.onFind = () -> new Finding.CannotTell("no permission to list");
        Claim claim = ledger.intended();

        Claim after = ledger.stepUntil(claim, ClaimState.ABSENT, 60);

        assertThat(after.state()).isEqualTo(ClaimState.UNKNOWN);
    }

    @Test
    void whatAppearsAfterItWasWrittenOffIsReleased() {
        Claim claim = ledger.intended();
        ledger.stepUntil(claim, ClaimState.ABSENT, 30);
        platform.onFind = ClaimStepTest::found;

        Claim released = ledger.stepUntil(claim, ClaimState.RELEASED, 10);

        assertThat(released.state()).isEqualTo(ClaimState.RELEASED);
        assertThat(platform.timesCalled("claim")).isEqualTo(1);
        assertThat(platform.timesCalled("release")).isEqualTo(1);
    }

    @Test
    void whatIsFoundAfterACancelIsReleasedAtOnce() {
        Claim claim = ledger.intended();
        ledger.step(claim);
        ledger.unwant(claim);
        platform.onFind = ClaimStepTest::found;

        assertThat(ledger.stepUntil(claim, ClaimState.RELEASED, 5).state()).isEqualTo(ClaimState.RELEASED);
    }

    @Test
    void theWorkerThatDiedAfterSendingLeavesAClaimThatIsLookedFor() {
        Claim claim = ledger.intended();
        DATABASE.execute("UPDATE claim SET arrives_by = '2026-11-20T00:01Z' WHERE claim_key = '" + claim.key() + "'");
        platform.onFind = ClaimStepTest::found;

        assertThat(ledger.stepUntil(claim, ClaimState.CLAIMED, 5).state()).isEqualTo(ClaimState.CLAIMED);
        assertThat(platform.calls).doesNotContain("claim");
    }

    @Test
    void aPersonIsAskedWhereNeitherTokenNorRefundWouldForgiveASecondPurchase() {
        neitherTokenNorRefund();
        Claim claim = ledger.intended();
        DATABASE.execute("UPDATE claim SET arrives_by = '2026-11-20T00:01Z' WHERE claim_key = '" + claim.key() + "'");

        Claim after = ledger.stepUntil(claim, ClaimState.ABSENT, 20);

        assertThat(after.state()).isEqualTo(ClaimState.UNKNOWN);
        assertThat(ledger.openTasks()).containsExactly("claim_vanished");
    }

    @Test
    void nothingIsSentOrWrittenOnceSomebodyElseHasTheWork() {
        Claim claim = ledger.intended();
        ledger.fenceIsLost();

        ledger.step(claim);

        assertThat(platform.calls).isEmpty();
        assertThat(ledger.read(claim)).isEqualTo(claim);
    }

    @Test
    void aRefusalIsFinalAndReleasesNothing() {
        platform.onClaim = request -> new ClaimOutcome.Refused(Reason.SOLD_OUT, "zone is full");
        Claim claim = ledger.intended();

        Claim refused = ledger.stepUntil(claim, ClaimState.REFUSED, 3);

        assertThat(refused.reason()).isEqualTo(Reason.SOLD_OUT);
        assertThat(ledger.step(claim)).isEmpty();
        assertThat(platform.calls).containsExactly("claim");
    }

    @Test
    void aBrokenReleaseGoesOnUntilThePlatformSaysGone() {
        platform.onClaim = request -> new ClaimOutcome.Claimed(ref("i-1"), request.window());
        Claim claim = ledger.intended();
        ledger.stepUntil(claim, ClaimState.CLAIMED, 3);
        ledger.unwant(claim);
        platform.onRelease = () -> {
            throw new PlatformFault(PlatformFault.Kind.UNREACHABLE, "connection reset");
        };

        Claim trying = ledger.stepUntil(claim, ClaimState.RELEASED, 8);
        assertThat(trying.state()).isEqualTo(ClaimState.RELEASING);
        assertThat(trying.releaseTries()).isEqualTo(8);

        platform.onRelease = ReleaseProgress.Gone::new;
        assertThat(ledger.stepUntil(claim, ClaimState.RELEASED, 2).state()).isEqualTo(ClaimState.RELEASED);
    }

    @Test
    void aReleaseRefusedForAMinimumRentalIsTriedAgainWhenThePlatformSaid() {
        platform.onClaim = request -> new ClaimOutcome.Claimed(ref("i-1"), request.window());
        Claim claim = ledger.intended();
        ledger.stepUntil(claim, ClaimState.CLAIMED, 3);
        ledger.unwant(claim);
        platform.onRelease = () -> new ReleaseProgress.Refused(
                Reason.TERM_NOT_OFFERED, "one day at least", ClaimLedger.START.plus(Duration.ofDays(1)));

        assertThat(ledger.step(claim)).contains(ClaimLedger.START.plus(Duration.ofDays(1)));
    }

    @Test
    void aMachineThatIsNotShownRightAfterItsPurchaseIsNotTakenForGone() {
        platform.onClaim = request -> new ClaimOutcome.Claimed(ref("i-1"), request.window());
        platform.onStatus = () -> status(ClaimStatus.Phase.GONE);
        Claim claim = ledger.intended();
        ledger.stepUntil(claim, ClaimState.CLAIMED, 3);

        ledger.step(claim);
        assertThat(ledger.read(claim).state()).isEqualTo(ClaimState.CLAIMED);

        ledger.pass(Duration.ofMinutes(15));
        ledger.step(claim);
        assertThat(ledger.read(claim).state()).isEqualTo(ClaimState.RELEASED);
    }

    @Test
    void aMachineThatSomebodyEndedInTheConsoleIsNoticedAtTheNextLook() {
        platform.onClaim = request -> new ClaimOutcome.Claimed(ref("i-1"), request.window());
        Claim claim = ledger.intended();
        ledger.stepUntil(claim, ClaimState.CLAIMED, 3);
        ledger.step(claim);
        platform.onStatus = () -> status(ClaimStatus.Phase.GONE);

        ledger.pass(Duration.ofMinutes(5));
        ledger.step(claim);

        assertThat(ledger.read(claim).state()).isEqualTo(ClaimState.RELEASED);
        assertThat(ledger.read(claim).detail()).contains("ended on the platform");
    }

    @Test
    void capsBindParallelClaimsOfOneAccount() {
        platform.onClaim = request -> new ClaimOutcome.Claimed(ref("i-" + request.key()), request.window());
        DATABASE.execute("UPDATE account SET per_day = 250 WHERE account_id = 'scripted'");
        Claim one = ledger.intended();
        Claim two = ledger.intended();
        Claim three = ledger.intended();

        ledger.step(one);
        ledger.step(two);
        ledger.step(three);

        assertThat(ledger.read(one).state()).isEqualTo(ClaimState.CLAIMED);
        assertThat(ledger.read(two).state()).isEqualTo(ClaimState.CLAIMED);
        assertThat(ledger.read(three).reason()).isEqualTo(Reason.TOO_EXPENSIVE);
        assertThat(ledger.read(three).wasNeverSent()).isTrue();
    }

    @Test
    void aPauseStopsPurchasesAndNeverARelease() {
        platform.onClaim = request -> new ClaimOutcome.Claimed(ref("i-1"), request.window());
        Claim bought = ledger.intended();
        ledger.stepUntil(bought, ClaimState.CLAIMED, 3);
        DATABASE.execute("UPDATE purchase_switch SET paused = true");
        Claim held = ledger.intended();
        ledger.unwant(bought);

        ledger.step(held);
        ledger.step(bought);

        DATABASE.execute("UPDATE purchase_switch SET paused = false");
        assertThat(ledger.read(held).reason()).isEqualTo(Reason.PURCHASES_OFF);
        assertThat(ledger.read(bought).state()).isEqualTo(ClaimState.RELEASED);
        assertThat(platform.timesCalled("claim")).isEqualTo(1);
    }

    @Test
    void aWindowIsWhatThePlatformSaysWasBought() {
        Window longer = new Window(ClaimLedger.START, ClaimLedger.START.plus(Duration.ofDays(6)));
        platform.onClaim = request -> new ClaimOutcome.Claimed(ref("i-1"), longer);
        Claim claim = ledger.intended();

        assertThat(ledger.stepUntil(claim, ClaimState.CLAIMED, 3).bought()).isEqualTo(longer);
    }

    private Claim boughtWindow() {
        platform.onClaim = request -> new ClaimOutcome.Claimed(ref("i-1"), request.window());
        platform.onStatus = () -> status(ClaimStatus.Phase.SECURED);
        Claim claim = ledger.intended();
        ledger.stepUntil(claim, ClaimState.CLAIMED, 3);
        return claim;
    }

    private void lookThreeTimes(Claim claim) {
        for (int i = 0; i < 3; i++) {
            ledger.pass(Duration.ofMinutes(1));
            ledger.step(claim);
        }
    }

    @Test
    void aLaunchThatNoWaitingCuresIsAPersonsUntilItSucceeds() {
        Claim claim = boughtWindow();
        platform.onLaunch = (ref, request) -> {
            throw new PlatformFault(PlatformFault.Kind.BAD_REQUEST, "account has no option 'image'");
        };

        lookThreeTimes(claim);

        assertThat(ledger.openTasks()).containsExactly("launch_refused");
        assertThat(ledger.read(claim).detail()).contains("has no option 'image'");
        assertThat(platform.timesCalled("launch"))
                .as("somebody may have removed the cause")
                .isEqualTo(3);

        platform.onLaunch = (ref, request) -> new ClaimOutcome.Claimed(ref, request.window());
        lookThreeTimes(claim);

        assertThat(ledger.openTasks()).isEmpty();
        assertThat(ledger.read(claim).launched()).isTrue();
    }

    @Test
    void aLaunchThatThePlatformRefusesIsAPersonsToo() {
        Claim claim = boughtWindow();
        platform.onLaunch = (ref, request) -> new ClaimOutcome.Refused(Reason.NO_QUOTA, "vCPU limit exceeded");

        lookThreeTimes(claim);

        assertThat(ledger.openTasks()).containsExactly("launch_refused");
    }

    @Test
    void theTaskAboutALaunchClosesWhenTheWindowIsGivenBack() {
        Claim claim = boughtWindow();
        platform.onLaunch = (ref, request) -> new ClaimOutcome.Refused(Reason.NO_QUOTA, "vCPU limit exceeded");
        lookThreeTimes(claim);
        ledger.unwant(claim);

        ledger.stepUntil(claim, ClaimState.RELEASED, 5);

        assertThat(ledger.openTasks()).isEmpty();
    }

    @Test
    void aLaunchThatMayPassIsWrittenDownOnceAndAsksNobody() {
        Claim claim = boughtWindow();
        platform.onLaunch = (ref, request) -> {
            throw new PlatformFault(
                    PlatformFault.Kind.PLATFORM_ERROR, "block is pending, request " + platform.calls.size());
        };
        lookThreeTimes(claim);
        String first = ledger.read(claim).detail();

        lookThreeTimes(claim);

        assertThat(ledger.openTasks()).isEmpty();
        assertThat(ledger.read(claim).detail()).isEqualTo(first).contains("block is pending");
    }
}
