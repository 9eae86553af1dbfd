package dev.gpubroker.simulator.aws;

import dev.gpubroker.simulator.SimSku;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A machine type that is sold as a Capacity Block. Names, counts and memory as {@code DescribeInstanceTypes} reports them;
 * prices of p4d, p5 and p5e per instance-hour are AWS's of the last quarter of 2024, the others are made up in proportion.
 *
 * @param zone the only zone of the simulated region that has it
 * @param gpuName as EC2 calls the GPU
 * @param gpuMemoryMib of one GPU
 */
record InstanceType(SimSku sku, String zone, String gpuName, int gpuMemoryMib, int vcpus, int memoryGib) {
    static final String REGION = "us-east-2";

    /** Subnets of the simulated account, by id, and the zone of each. */
    static final Map<String, String> SUBNETS =
            Map.of("subnet-0a00000000000000a", "us-east-2a", "subnet-0b00000000000000b", "us-east-2b");

    static final List<InstanceType> ALL = List.of(
            of("p4d.24xlarge", "A100-SXM4-40GB", "A100", 8, "14.75", 0, "us-east-2a", 40960, 96, 1152),
            of("p4de.24xlarge", "A100-SXM4-80GB", "A100", 8, "20.50", 0, "us-east-2a", 81920, 96, 1152),
            of("p5.48xlarge", "H100-SXM5-80GB", "H100", 8, "39.33", 4, "us-east-2a", 81920, 192, 2048),
            of("p5.4xlarge", "H100-SXM5-80GB", "H100", 1, "4.92", 4, "us-east-2a", 81920, 16, 256),
            of("p5e.48xlarge", "H200-SXM-141GB", "H200", 8, "43.26", 2, "us-east-2b", 144384, 192, 2048),
            of("p5en.48xlarge", "H200-SXM-141GB", "H200", 8, "45.10", 2, "us-east-2b", 144384, 192, 2048),
            of("p6-b200.48xlarge", "B200", "B200", 8, "70.40", 1, "us-east-2b", 183359, 192, 2048));

    String name() {
        return sku.sku();
    }

    static Optional<InstanceType> named(String name) {
        return ALL.stream().filter(type -> type.name().equals(name)).findFirst();
    }

    private static InstanceType of(
            String name,
            String model,
            String family,
            int gpus,
            String hourly,
            int nodes,
            String zone,
            int gpuMemoryMib,
            int vcpus,
            int memoryGib) {
        return new InstanceType(
                SimSku.of(name, model, family, gpus, hourly, nodes), zone, family, gpuMemoryMib, vcpus, memoryGib);
    }
}
