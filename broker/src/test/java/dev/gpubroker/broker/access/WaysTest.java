package dev.gpubroker.broker.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.config.MachineSettings;
import dev.gpubroker.broker.config.MachineSettings.Health;
import dev.gpubroker.broker.config.MachineSettings.Readiness;
import dev.gpubroker.broker.request.MachineWish;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WaysTest {
    private static final Login SOMEWHERE = new Login("203.0.113.7", 22, "root");
    private static final Login NOWHERE = new Login(null, null, null);

    private static Machine machine(Login login, boolean callsHome) {
        return new Machine(
                "n", "n", "A100-SXM4-80GB", List.of(0), login, "a", "r", null, callsHome, false, null, "", null);
    }

    private static MachineSettings settings(Readiness rule, @Nullable Health health) {
        return new MachineSettings(MachineWish.none(), rule, health);
    }

    @Test
    void sshIsAskedWhereThePlatformStatesAnAddress() {
        assertThat(Ways.of(machine(SOMEWHERE, false), MachineSettings.NONE)).containsExactly(Ways.SSH);
        assertThat(Ways.of(machine(NOWHERE, false), MachineSettings.NONE)).isEmpty();
    }

    @Test
    void theHealthAddressIsAskedInsteadOfSsh() {
        assertThat(Ways.of(machine(SOMEWHERE, false), settings(Readiness.AUTO, new Health(80, "/ok"))))
                .containsExactly(Ways.HEALTH);
    }

    @Test
    void aScriptThatCallsHomeIsOneMoreWay() {
        assertThat(Ways.of(machine(SOMEWHERE, true), MachineSettings.NONE))
                .containsExactlyInAnyOrder(Ways.SSH, Ways.CALL_HOME);
        assertThat(Ways.of(machine(NOWHERE, true), MachineSettings.NONE)).containsExactly(Ways.CALL_HOME);
        assertThat(Ways.of(machine(SOMEWHERE, true), settings(Readiness.CALL_HOME, null)))
                .containsExactly(Ways.CALL_HOME);
    }

    @Test
    void whoeverWantsNothingAskedGetsNothingAsked() {
        assertThat(Ways.of(machine(SOMEWHERE, true), settings(Readiness.NONE, new Health(80, "/"))))
                .isEmpty();
    }
}
