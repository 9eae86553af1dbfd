package dev.gpubroker.simulator.aliyun;

import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimulatedPlatform;
import dev.gpubroker.simulator.SimulatorFactory;
import java.util.Map;

/** Makes the simulated Alibaba Cloud. */
public final class AliyunSimulatorFactory implements SimulatorFactory {
    @Override
    public String platform() {
        return "aliyun";
    }

    @Override
    public SimulatedPlatform create(SimEnvironment environment) {
        return new AliyunSimulator(environment);
    }

    @Override
    public Map<String, String> credentials() {
        return Map.of("accessKeyId", AliyunSignature.KEY_ID, "accessKeySecret", AliyunSignature.KEY_SECRET);
    }

    /**
     * A second key, of a user without permission to anything: to it the platform shows empty lists, and only a dry run says
     * why.
     */
    public Map<String, String> unprivilegedCredentials() {
        return Map.of(
                "accessKeyId",
                AliyunSignature.UNPRIVILEGED_KEY_ID,
                "accessKeySecret",
                AliyunSignature.UNPRIVILEGED_KEY_SECRET);
    }

    @Override
    public Map<String, String> options() {
        return Map.of(
                "imageId",
                "ubuntu_22_04_x64_20G_alibase_simulated.vhd",
                "securityGroupId",
                AliyunSimulator.SECURITY_GROUP,
                "vSwitchId." + AliyunSkus.ZONE_J,
                AliyunSimulator.vSwitch(AliyunSkus.ZONE_J),
                "vSwitchId." + AliyunSkus.ZONE_K,
                AliyunSimulator.vSwitch(AliyunSkus.ZONE_K));
    }
}
