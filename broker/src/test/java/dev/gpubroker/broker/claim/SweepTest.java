package dev.gpubroker.broker.claim;

import static dev.gpubroker.broker.claim.ScriptedPlatform.ref;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.platform.FakeAdapter;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the hourly comparison with the platform gives back, and what it leaves alone: cases O-10, O-17. */
class SweepTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private ScriptedPlatform platform;
    private ClaimLedger ledger;

    @BeforeEach
    void emptyLedger() {
        DATABASE.execute("DELETE FROM task; DELETE FROM node; DELETE FROM claim; DELETE FROM due_work");
        platform = new ScriptedPlatform(FakeAdapter.sellsA100("scripted").build());
        platform.onClaim = request -> new ClaimOutcome.Claimed(ref("i-1"), request.window());
        ledger = new ClaimLedger(DATABASE, platform);
    }

    private static Holding running(ClaimKey key) {
        return new Holding(ref("i-1"), key, ClaimLedger.START, ClaimStatus.Phase.RUNNING);
    }

    private Claim released() {
        Claim claim = ledger.intended();
        ledger.stepUntil(claim, ClaimState.CLAIMED, 3);
        ledger.unwant(claim);
        return ledger.stepUntil(claim, ClaimState.RELEASED, 3);
    }

    @Test
    void aMachineOfAnEndedClaimIsGivenBackAgainAndAPersonIsTold() {
        Claim claim = released();
        platform.onList = () -> List.of(running(claim.key()));

        ledger.sweep();
        assertThat(ledger.read(claim).state()).isEqualTo(ClaimState.RELEASING);
        assertThat(ledger.openTasks()).containsExactly("contradiction");
        ledger.step(claim);

        assertThat(platform.timesCalled("release")).isEqualTo(2);
        assertThat(ledger.stopped()).isEmpty();
    }

    @Test
    void aMachineThatAPersonCalledGoneIsLeftAlone() {
        Claim claim = released();
        platform.onList = () -> List.of(running(claim.key()));
        ledger.sweep();
        ledger.step(claim);
        DATABASE.execute("UPDATE task SET done_at = now(), answer = 'gone', facts = '{\"last\": true}'");

        ledger.sweep();

        assertThat(ledger.read(claim).state()).isEqualTo(ClaimState.RELEASED);
        assertThat(platform.timesCalled("release")).isEqualTo(2);
    }

    @Test
    void aMachineInUseIsLeftToItsOwnStep() {
        Claim claim = ledger.intended();
        ledger.stepUntil(claim, ClaimState.CLAIMED, 3);
        platform.onList = () -> List.of(running(claim.key()));

        ledger.sweep();

        assertThat(ledger.read(claim).state()).isEqualTo(ClaimState.CLAIMED);
        assertThat(ledger.openTasks()).isEmpty();
    }

    @Test
    void ourMarkWithoutALedgerRowStopsTheAccountAndTouchesNothing() {
        platform.onList = () -> List.of(running(new ClaimKey("gb-inst-nobody-1-0-x")));

        ledger.sweep();
        ledger.sweep();

        assertThat(ledger.stopped()).isPresent();
        assertThat(ledger.openTasks()).containsExactly("unknown_machine");
        assertThat(platform.calls).doesNotContain("release");
        Claim next = ledger.intended();
        ledger.step(next);
        assertThat(ledger.read(next).wasNeverSent()).isTrue();
    }

    @Test
    void aMachineWithOurMarkAndNoReadableKeyStopsTheAccountToo() {
        platform.onList = () -> List.of(running(null));

        ledger.sweep();

        assertThat(ledger.stopped()).isPresent();
        assertThat(platform.calls).doesNotContain("release");
    }
}
