package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.contract.PlatformContract;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.simulator.SimulatorFactory;
import dev.gpubroker.simulator.huawei.HuaweiSimulatorFactory;

/** An account that uses both services, asked for V100: an ECS server without a timed end. */
class HuaweiMixedServerContractTest extends PlatformContract {
    @Override
    protected AdapterFactory adapters() {
        return new HuaweiAdapterFactory();
    }

    @Override
    protected SimulatorFactory simulators() {
        return new HuaweiSimulatorFactory();
    }

    @Override
    protected Flavor flavor() {
        return new Flavor("V100-SXM2-32GB", 8);
    }
}
