package dev.gpubroker.adapter.zhixingyun;

import dev.gpubroker.adapter.contract.PlatformContract;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.simulator.SimulatorFactory;
import dev.gpubroker.simulator.zhixingyun.ZhixingyunSimulatorFactory;

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
}
