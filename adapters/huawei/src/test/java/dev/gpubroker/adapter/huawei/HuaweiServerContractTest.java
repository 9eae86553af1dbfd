package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.contract.PlatformContract;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimulatedPlatform;
import dev.gpubroker.simulator.SimulatorFactory;
import dev.gpubroker.simulator.huawei.HuaweiSimulatorFactory;
import java.util.HashMap;
import java.util.Map;

/** An account that uses ECS alone, and so has timed ends. */
class HuaweiServerContractTest extends PlatformContract {
    @Override
    protected AdapterFactory adapters() {
        return new HuaweiAdapterFactory();
    }

    @Override
    protected SimulatorFactory simulators() {
        return new OnlyServers();
    }

    @Override
    protected Flavor flavor() {
        return new Flavor("V100-SXM2-32GB", 8);
    }

    private static final class OnlyServers implements SimulatorFactory {
        private final SimulatorFactory all = new HuaweiSimulatorFactory();

        @Override
        public String platform() {
            return all.platform();
        }

        @Override
        public SimulatedPlatform create(SimEnvironment environment) {
            return all.create(environment);
        }

        @Override
        public Map<String, String> credentials() {
            return all.credentials();
        }

        @Override
        public Map<String, String> options() {
            Map<String, String> options = new HashMap<>(all.options());
            options.put("service", "ecs");
            return options;
        }
    }
}
