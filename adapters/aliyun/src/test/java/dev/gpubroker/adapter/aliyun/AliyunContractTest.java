package dev.gpubroker.adapter.aliyun;

import dev.gpubroker.adapter.contract.PlatformContract;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.simulator.SimulatorFactory;
import dev.gpubroker.simulator.aliyun.AliyunSimulatorFactory;

class AliyunContractTest extends PlatformContract {
    @Override
    protected AdapterFactory adapters() {
        return new AliyunAdapterFactory();
    }

    @Override
    protected SimulatorFactory simulators() {
        return new AliyunSimulatorFactory();
    }

    @Override
    protected Flavor flavor() {
        return new Flavor("A100-SXM4-80GB", 8);
    }
}
