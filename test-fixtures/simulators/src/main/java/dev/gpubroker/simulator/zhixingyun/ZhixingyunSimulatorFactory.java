package dev.gpubroker.simulator.zhixingyun;

import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimulatedPlatform;
import dev.gpubroker.simulator.SimulatorFactory;
import java.util.Map;

/** Makes the simulated 智星云. */
public final class ZhixingyunSimulatorFactory implements SimulatorFactory {
    static final String ACCESS_KEY = "sim-zhixingyun-access";
    static final String SECRET_KEY = "sim-zhixingyun-secret";

    @Override
    public String platform() {
        return ZhixingyunSimulator.PLATFORM;
    }

    @Override
    public SimulatedPlatform create(SimEnvironment environment) {
        return new ZhixingyunSimulator(environment);
    }

    @Override
    public Map<String, String> credentials() {
        return Map.of("access_key", ACCESS_KEY, "secret_key", SECRET_KEY);
    }
}
