package dev.gpubroker.simulator.aliyun;

import dev.gpubroker.simulator.SimSku;
import java.math.BigDecimal;
import java.util.List;

/**
 * What the simulated platform sells. Prices with a public figure are those of cn-shanghai, pay-as-you-go, June 2023, as a
 * third party kept them; the others (2 and 4 GPUs of some families, all of gn8v and gn8is) are multiples of those or
 * invented.
 */
final class AliyunSkus {
    static final String REGION = "cn-hangzhou";
    static final String ZONE_J = "cn-hangzhou-j";
    static final String ZONE_K = "cn-hangzhou-k";

    static final List<SimSku> ALL = List.of(
            sku("ecs.gn7e-c16g1.4xlarge", "A100-SXM4-80GB", "A100", 1, "34.74", 0),
            sku("ecs.gn7e-c16g1.8xlarge", "A100-SXM4-80GB", "A100", 2, "69.48", 0),
            sku("ecs.gn7e-c16g1.16xlarge", "A100-SXM4-80GB", "A100", 4, "138.96", 0),
            sku("ecs.gn7e-c16g1.32xlarge", "A100-SXM4-80GB", "A100", 8, "277.93", 8),
            sku("ecs.ebmgn7e.32xlarge", "A100-SXM4-80GB", "A100", 8, "277.93", 0),
            sku("ecs.gn7-c12g1.3xlarge", "A100-SXM4-40GB", "A100", 1, "31.58", 0),
            sku("ecs.gn7-c13g1.13xlarge", "A100-SXM4-40GB", "A100", 4, "126.33", 0),
            sku("ecs.gn7-c13g1.26xlarge", "A100-SXM4-40GB", "A100", 8, "252.66", 0),
            sku("ecs.gn8v.4xlarge", "H20", "H20", 1, "28.50", 2),
            sku("ecs.gn8v.6xlarge", "H20", "H20", 1, "29.80", 2),
            sku("ecs.gn8v-2x.8xlarge", "H20", "H20", 2, "57.00", 2),
            sku("ecs.gn8v-2x.12xlarge", "H20", "H20", 2, "59.60", 2),
            sku("ecs.gn8v-4x.8xlarge", "H20", "H20", 4, "111.00", 2),
            sku("ecs.gn8v-4x.24xlarge", "H20", "H20", 4, "119.20", 2),
            sku("ecs.gn8v-8x.16xlarge", "H20", "H20", 8, "222.00", 2),
            sku("ecs.gn8v-8x.48xlarge", "H20", "H20", 8, "238.40", 2),
            sku("ecs.ebmgn8v.48xlarge", "H20", "H20", 8, "238.40", 2),
            sku("ecs.gn8is.2xlarge", "L20", "L20", 1, "13.20", 4),
            sku("ecs.gn8is.4xlarge", "L20", "L20", 1, "14.60", 4),
            sku("ecs.gn8is-2x.8xlarge", "L20", "L20", 2, "29.20", 3),
            sku("ecs.gn8is-4x.16xlarge", "L20", "L20", 4, "58.40", 3),
            sku("ecs.gn8is-8x.32xlarge", "L20", "L20", 8, "116.80", 2),
            sku("ecs.gn6e-c12g1.3xlarge", "V100-SXM2-32GB", "V100", 1, "19.73", 4),
            sku("ecs.gn6e-c12g1.12xlarge", "V100-SXM2-32GB", "V100", 4, "78.95", 3),
            sku("ecs.gn6e-c12g1.24xlarge", "V100-SXM2-32GB", "V100", 8, "157.91", 2),
            sku("ecs.gn6v-c8g1.2xlarge", "V100-SXM2-16GB", "V100", 1, "26.46", 4),
            sku("ecs.gn6v-c8g1.8xlarge", "V100-SXM2-16GB", "V100", 4, "105.84", 3),
            sku("ecs.gn6v-c8g1.16xlarge", "V100-SXM2-16GB", "V100", 8, "211.68", 2),
            sku("ecs.gn7i-c8g1.2xlarge", "A10", "A10", 1, "9.53", 4),
            sku("ecs.gn7i-c16g1.4xlarge", "A10", "A10", 1, "10.09", 4),
            sku("ecs.gn7i-c32g1.8xlarge", "A10", "A10", 1, "13.30", 4),
            sku("ecs.gn7i-c32g1.16xlarge", "A10", "A10", 2, "26.61", 3),
            sku("ecs.gn7i-c32g1.32xlarge", "A10", "A10", 4, "53.23", 2),
            sku("ecs.gn6i-c4g1.xlarge", "T4", "T4", 1, "11.63", 4),
            sku("ecs.gn6i-c8g1.2xlarge", "T4", "T4", 1, "14.00", 4),
            sku("ecs.gn6i-c16g1.4xlarge", "T4", "T4", 1, "16.41", 4),
            sku("ecs.gn6i-c24g1.6xlarge", "T4", "T4", 1, "17.19", 4),
            sku("ecs.gn6i-c24g1.12xlarge", "T4", "T4", 2, "34.38", 3),
            sku("ecs.gn6i-c24g1.24xlarge", "T4", "T4", 4, "68.75", 2));

    private AliyunSkus() {}

    /** Each type is sold in one zone: small cards in k, the rest in j. */
    static String zone(SimSku sku) {
        return sku.family().equals("A10") || sku.family().equals("T4") ? ZONE_K : ZONE_J;
    }

    static int memoryGb(SimSku sku) {
        return switch (sku.model()) {
            case "A100-SXM4-80GB" -> 80;
            case "A100-SXM4-40GB" -> 40;
            case "H20" -> 96;
            case "L20" -> 48;
            case "V100-SXM2-32GB" -> 32;
            case "A10" -> 24;
            default -> 16;
        };
    }

    private static SimSku sku(String name, String model, String family, int gpus, String hourly, int nodes) {
        return new SimSku(name, model, family, gpus, new BigDecimal(hourly), nodes);
    }
}
