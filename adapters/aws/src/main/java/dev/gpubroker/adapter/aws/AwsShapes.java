package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Shape;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What EC2 sells as Capacity Blocks. Types, GPUs and memory: {@code DescribeInstanceTypes} (usage class
 * {@code capacity-block}); lengths and counts: EC2 API model 2016-11-15; horizon, end of use: EC2 User Guide, Capacity
 * Blocks. All read in November 2026. Where a type is sold changes, so every region of the account is asked.
 */
final class AwsShapes {
    static final int MOST_INSTANCES = 64;
    static final Duration HORIZON = Duration.ofDays(56);
    static final Duration SHORTEST = Duration.ofDays(1);
    static final Duration LONGEST = Duration.ofDays(182);
    static final Duration TAKEN_BACK_BEFORE_END = Duration.ofMinutes(30);
    static final Duration SETTLE_WINDOW = Duration.ofMinutes(10);

    static final List<Shape> ALL = List.of(
            shape("p4d.24xlarge", "A100-SXM4-40GB", 8, 40),
            shape("p4de.24xlarge", "A100-SXM4-80GB", 8, 80),
            shape("p5.48xlarge", "H100-SXM5-80GB", 8, 80),
            shape("p5.4xlarge", "H100-SXM5-80GB", 1, 80),
            shape("p5e.48xlarge", "H200-SXM-141GB", 8, 141),
            shape("p5en.48xlarge", "H200-SXM-141GB", 8, 141),
            shape("p6-b200.48xlarge", "B200", 8, 180));

    private AwsShapes() {}

    static Capabilities capabilities(AccountSettings settings) {
        return Capabilities.of("aws", "AWS EC2 亚马逊云", "USD")
                .shapes(ALL)
                .onlyForward()
                .forward(new Capabilities.Forward(HORIZON, SHORTEST, LONGEST, TAKEN_BACK_BEFORE_END, false))
                .terms(SHORTEST, Duration.ofDays(1), LONGEST)
                .nodesPerClaim(MOST_INSTANCES)
                .settleWindow(SETTLE_WINDOW)
                .provisioning(Duration.ofMinutes(5))
                .minInterval(settings.simulated() ? Duration.ZERO : Duration.ofSeconds(30))
                .longestCall(AwsClient.limit(settings.queryTimeout()).plus(AwsClient.limit(settings.claimTimeout())))
                .callsPerSecond(BigDecimal.valueOf(5))
                .refund(
                        new RefundTerms(
                                RefundTerms.Rule.NONE,
                                BigDecimal.ZERO,
                                "EC2 API reference, PurchaseCapacityBlock: a block cannot be modified or cancelled; read 2026-11"))
                .bootLimit(UserData.LIMIT)
                .build();
    }

    static List<Shape> of(Flavor flavor) {
        return ALL.stream().filter(shape -> shape.flavor().equals(flavor)).toList();
    }

    private static Shape shape(String type, String model, int gpus, int memoryGb) {
        return new Shape(type, new Flavor(model, gpus), memoryGb, gpus == 1 ? "none" : "nvlink", Set.of());
    }
}
