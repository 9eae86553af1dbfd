package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Shape;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What Huawei Cloud sells by the hour, from its flavor tables as of 2026-11-30. Cards of the ECS families: documentation page on
 * Tesla and GRID drivers; numbers of cards of ECS sizes: unverified, the flavor list ({@code pci_passthrough:alias}) is the truth.
 * ModelArts names: examples of the resource pool documentation; that snt9b2 is the Ascend 910B3 is a third party's statement.
 * Families whose sizes were not found (A100 p3, Ascend 310 ai1s, 910C super nodes) are left out.
 */
final class HuaweiShapes {
    static final String PLATFORM = "huawei";

    private static final List<Shape> SERVERS = List.of(
            shape("p2vs.16xlarge.8", "V100-SXM2-32GB", 8, 32, "nvlink"),
            shape("p2vs.8xlarge.8", "V100-SXM2-32GB", 4, 32, "nvlink"),
            shape("p2vs.4xlarge.8", "V100-SXM2-32GB", 2, 32, "nvlink"),
            shape("p2vs.2xlarge.8", "V100-SXM2-32GB", 1, 32, "none"),
            shape("p2s.16xlarge.8", "V100-PCIE-32GB", 8, 32, "pcie"),
            shape("p2s.8xlarge.8", "V100-PCIE-32GB", 4, 32, "pcie"),
            shape("p2s.4xlarge.8", "V100-PCIE-32GB", 2, 32, "pcie"),
            shape("p2s.2xlarge.8", "V100-PCIE-32GB", 1, 32, "none"),
            shape("p2v.16xlarge.8", "V100-SXM2-16GB", 8, 16, "nvlink"),
            shape("p2v.8xlarge.8", "V100-SXM2-16GB", 4, 16, "nvlink"),
            shape("p2v.4xlarge.8", "V100-SXM2-16GB", 2, 16, "nvlink"),
            shape("p2v.2xlarge.8", "V100-SXM2-16GB", 1, 16, "none"),
            shape("p1.8xlarge.8", "P100", 4, 16, "pcie"),
            shape("p1.4xlarge.8", "P100", 2, 16, "pcie"),
            shape("p1.2xlarge.8", "P100", 1, 16, "none"),
            shape("pi2.8xlarge.4", "T4", 4, 16, "pcie"),
            shape("pi2.4xlarge.4", "T4", 2, 16, "pcie"),
            shape("pi2.2xlarge.4", "T4", 1, 16, "none"),
            shape("pi1.8xlarge.4", "P4", 4, 8, "pcie"),
            shape("pi1.4xlarge.4", "P4", 2, 8, "pcie"),
            shape("pi1.2xlarge.4", "P4", 1, 8, "none"));

    private static final List<Shape> POOLS = List.of(
            shape("modelarts.bm.snt9.xlarge.8", "Ascend-910A", 8, 32, "hccs"),
            shape("modelarts.bm.snt9.xlarge.2", "Ascend-910A", 2, 32, "hccs"),
            shape("modelarts.bm.d910.xlarge.1", "Ascend-910A", 1, 32, "none"),
            shape("modelarts.bm.npu.arm.8snt9b2.d", "Ascend-910B3", 8, 64, "hccs"));

    /** A claim is one call; the longest of the others makes three short ones (a job, its servers, their deletion). */
    private static final int CALLS_IN_A_ROW = 4;

    static Capabilities capabilities(
            HuaweiServices services, Duration queryTimeout, Duration claimTimeout, boolean simulated) {
        Duration slowest = queryTimeout.compareTo(claimTimeout) > 0 ? queryTimeout : claimTimeout;
        Capabilities.Builder builder = Capabilities.of(PLATFORM, "Huawei Cloud 华为云", "CNY")
                .shapes(Stream.concat(
                                services.useServers() ? SERVERS.stream() : Stream.of(),
                                services.usePools() ? POOLS.stream() : Stream.of())
                        .toList())
                .nodesPerClaim(16) // ECS takes up to 100 in one order; a pool's bound is its quota.
                .token() // ECS by X-Client-Token; a pool's name is made of the key, and names are unique.
                .settleWindow(Duration.ofMinutes(15))
                .provisioning(services.usePools() ? Duration.ofMinutes(20) : Duration.ofMinutes(5))
                .minInterval(simulated ? Duration.ZERO : Duration.ofSeconds(30))
                .longestCall(slowest.multipliedBy(CALLS_IN_A_ROW))
                .callsPerSecond(BigDecimal.valueOf(5)) // No figure is published; the API pages advise restraint.
                .refund(new RefundTerms(
                        RefundTerms.Rule.PAY_PER_USE,
                        BigDecimal.ZERO,
                        "support.huaweicloud.com: on-demand is billed for what was used, 2026-11-30"))
                .eligibility(Set.of("real_name"))
                .bootLimit(ServerRequest.BOOT_LIMIT);
        if (services == HuaweiServices.ECS) {
            builder.timedEnd(); // Pools have none, and the flag is one for all shapes.
        }
        return builder.build();
    }

    static boolean isServer(String sku) {
        return SERVERS.stream().anyMatch(shape -> shape.sku().equals(sku));
    }

    static List<Shape> servers(Flavor flavor) {
        return SERVERS.stream().filter(shape -> shape.flavor().equals(flavor)).toList();
    }

    static List<Shape> pools(Flavor flavor) {
        return POOLS.stream().filter(shape -> shape.flavor().equals(flavor)).toList();
    }

    static Optional<Shape> pool(String sku) {
        return POOLS.stream().filter(shape -> shape.sku().equals(sku)).findFirst();
    }

    private static Shape shape(String sku, String model, int gpus, int memoryGb, String interconnect) {
        return new Shape(sku, new Flavor(model, gpus), memoryGb, interconnect, Set.of());
    }

    private HuaweiShapes() {}
}
