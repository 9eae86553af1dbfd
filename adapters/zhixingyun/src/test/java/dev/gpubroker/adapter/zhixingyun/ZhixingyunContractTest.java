package dev.gpubroker.adapter.zhixingyun;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.contract.PlatformContract;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.SupportsLogin;
import dev.gpubroker.simulator.SimulatorFactory;
import dev.gpubroker.simulator.zhixingyun.ZhixingyunSimulatorFactory;
import org.junit.jupiter.api.Test;

class ZhixingyunContractTest extends PlatformContract {
    @Override
    protected AdapterFactory adapters() {
        return new ZhixingyunAdapterFactory();
    }

    @Override
    protected SimulatorFactory simulators() {
        return new ZhixingyunSimulatorFactory();
    }

    @Override
    protected Flavor flavor() {
        return new Flavor("RTX4090", 8);
    }

    @Override
    protected String image() {
        return "ubuntu22_pytorch2.4_cuda12.4";
    }

    @Test
    void theLoginIsAskedForAndItsPasswordIsInNoText() {
        PlatformRef ref = ((ClaimOutcome.Claimed)
                        adapter().claim(request(new ClaimKey("gb-inst0001-rsv00000009-1-cccccc"), offer())))
                .ref();
        untilRunning(ref);

        SupportsLogin.Login login =
                ((SupportsLogin) adapter()).login(ref, ref.ids().get(0)).orElseThrow();

        assertThat(login.user()).isEqualTo("root");
        assertThat(login.password()).isEqualTo("sim-Pw-peeNa3qu");
        assertThat(login.toString()).doesNotContain("sim-Pw");
        assertThat(((SupportsLogin) adapter()).login(ref, "another")).isEmpty();
    }
}
