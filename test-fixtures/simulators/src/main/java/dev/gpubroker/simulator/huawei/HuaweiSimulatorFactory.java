package dev.gpubroker.simulator.huawei;

import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimulatedPlatform;
import dev.gpubroker.simulator.SimulatorFactory;
import java.util.Map;

/** Makes the simulated Huawei Cloud, one region (cn-north-4) with two zones. */
public final class HuaweiSimulatorFactory implements SimulatorFactory {
    @Override
    public String platform() {
        return "huawei";
    }

    @Override
    public SimulatedPlatform create(SimEnvironment environment) {
        return new HuaweiSimulator(environment);
    }

    @Override
    public Map<String, String> credentials() {
        return Map.of(
                "projectId", SdkSignature.PROJECT_ID,
                "domainId", SdkSignature.DOMAIN_ID,
                "accessKey", SdkSignature.ACCESS_KEY,
                "secretKey", SdkSignature.SECRET_KEY);
    }

    @Override
    public Map<String, String> options() {
        return Map.of(
                "imageId", "7c1e2f30-4a5b-4c6d-8e9f-0a1b2c3d4e5f",
                "vpcId", "1b2c3d4e-5f60-4718-8293-a4b5c6d7e8f9",
                "subnetId", "2c3d4e5f-6071-4829-93a4-b5c6d7e8f901",
                "securityGroupId", "3d4e5f60-7182-493a-a4b5-c6d7e8f90123",
                "keyName", "gpu-broker",
                "networkName", HuaweiCatalogue.NETWORK);
    }
}
