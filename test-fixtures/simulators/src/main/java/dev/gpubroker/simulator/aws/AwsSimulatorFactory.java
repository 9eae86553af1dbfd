package dev.gpubroker.simulator.aws;

import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimulatedPlatform;
import dev.gpubroker.simulator.SimulatorFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes the simulated EC2 of the region {@code us-east-2}. */
public final class AwsSimulatorFactory implements SimulatorFactory {
    static final String ACCESS_KEY = "AKIASIMULATED0000000";
    static final String SECRET_KEY = "simulated-secret-access-key-of-ec2";

    @Override
    public String platform() {
        return "aws";
    }

    @Override
    public SimulatedPlatform create(SimEnvironment environment) {
        return new AwsSimulator(environment);
    }

    @Override
    public Map<String, String> credentials() {
        Map<String, String> credentials = new LinkedHashMap<>();
        credentials.put("accessKeyId", ACCESS_KEY);
        credentials.put("secretAccessKey", SECRET_KEY);
        return credentials;
    }

    @Override
    public Map<String, String> options() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("image", "ami-0a1b2c3d4e5f60718");
        InstanceType.SUBNETS.forEach((subnet, zone) -> options.put("subnet." + zone, subnet));
        options.put("securityGroups", "sg-0a1b2c3d4e5f60718");
        return options;
    }
}
