package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.contract.PlatformContract;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.MachineOption;
import dev.gpubroker.simulator.SimulatorFactory;
import dev.gpubroker.simulator.huawei.HuaweiSimulatorFactory;
import java.util.Set;

/** An account that uses both services, asked for Ascend: a ModelArts pool. */
class HuaweiPoolContractTest extends PlatformContract {
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
        return new Flavor("Ascend-910A", 8);
    }

    /** Nobody logs in to the nodes of a pool. */
    @Override
    protected Set<MachineOption> machineOptions() {
        return Set.of(MachineOption.STARTUP_SCRIPT);
    }
}
