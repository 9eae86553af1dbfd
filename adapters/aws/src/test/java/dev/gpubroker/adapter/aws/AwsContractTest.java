package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.contract.PlatformContract;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.simulator.SimulatorFactory;
import dev.gpubroker.simulator.aws.AwsSimulatorFactory;

final class AwsContractTest extends PlatformContract {
    @Override
    protected AdapterFactory adapters() {
        return new AwsAdapterFactory();
    }

    @Override
    protected SimulatorFactory simulators() {
        return new AwsSimulatorFactory();
    }

    @Override
    protected Flavor flavor() {
        return new Flavor("A100-SXM4-40GB", 8);
    }
}
