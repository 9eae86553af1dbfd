package dev.gpubroker.adapter.aliyun;

import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Shape;
import java.util.List;
import java.util.Set;

/**
 * The GPU instance types of ECS. Source: Alibaba Cloud documentation, "GPU-accelerated instance families", and the
 * platform's page of November 2026, section 2. Where a virtual machine and a bare-metal one have the same shape, the
 * virtual one stands first. Stock and price are never here: they are asked.
 */
final class AliyunCatalogue {
    static final List<Shape> SHAPES = List.of(
            nvlink("ecs.gn7e-c16g1.4xlarge", "A100-SXM4-80GB", 1, 80),
            nvlink("ecs.gn7e-c16g1.8xlarge", "A100-SXM4-80GB", 2, 80),
            nvlink("ecs.gn7e-c16g1.16xlarge", "A100-SXM4-80GB", 4, 80),
            nvlink("ecs.gn7e-c16g1.32xlarge", "A100-SXM4-80GB", 8, 80),
            nvlink("ecs.ebmgn7e.32xlarge", "A100-SXM4-80GB", 8, 80), // Bare metal.
            nvlink("ecs.gn7-c12g1.3xlarge", "A100-SXM4-40GB", 1, 40),
            nvlink("ecs.gn7-c13g1.13xlarge", "A100-SXM4-40GB", 4, 40),
            nvlink("ecs.gn7-c13g1.26xlarge", "A100-SXM4-40GB", 8, 40),
            // The documentation names no card for gn8v: 96 GB of HBM3 with 900 GB/s of NVLink, as H20 has. Sold in some
            // regions only, and through sales.
            nvlink("ecs.gn8v.4xlarge", "H20", 1, 96),
            nvlink("ecs.gn8v.6xlarge", "H20", 1, 96),
            nvlink("ecs.gn8v-2x.8xlarge", "H20", 2, 96),
            nvlink("ecs.gn8v-2x.12xlarge", "H20", 2, 96),
            nvlink("ecs.gn8v-4x.8xlarge", "H20", 4, 96),
            nvlink("ecs.gn8v-4x.24xlarge", "H20", 4, 96),
            nvlink("ecs.gn8v-8x.16xlarge", "H20", 8, 96),
            nvlink("ecs.gn8v-8x.48xlarge", "H20", 8, 96),
            nvlink("ecs.ebmgn8v.48xlarge", "H20", 8, 96), // Bare metal.
            pcie("ecs.gn8is.2xlarge", "L20", 1, 48),
            pcie("ecs.gn8is.4xlarge", "L20", 1, 48),
            pcie("ecs.gn8is-2x.8xlarge", "L20", 2, 48),
            pcie("ecs.gn8is-4x.16xlarge", "L20", 4, 48),
            pcie("ecs.gn8is-8x.32xlarge", "L20", 8, 48),
            nvlink("ecs.gn6e-c12g1.3xlarge", "V100-SXM2-32GB", 1, 32),
            nvlink("ecs.gn6e-c12g1.12xlarge", "V100-SXM2-32GB", 4, 32),
            nvlink("ecs.gn6e-c12g1.24xlarge", "V100-SXM2-32GB", 8, 32),
            nvlink("ecs.gn6v-c8g1.2xlarge", "V100-SXM2-16GB", 1, 16),
            nvlink("ecs.gn6v-c8g1.8xlarge", "V100-SXM2-16GB", 4, 16),
            nvlink("ecs.gn6v-c8g1.16xlarge", "V100-SXM2-16GB", 8, 16),
            pcie("ecs.gn7i-c8g1.2xlarge", "A10", 1, 24),
            pcie("ecs.gn7i-c16g1.4xlarge", "A10", 1, 24),
            pcie("ecs.gn7i-c32g1.8xlarge", "A10", 1, 24),
            pcie("ecs.gn7i-c32g1.16xlarge", "A10", 2, 24),
            pcie("ecs.gn7i-c32g1.32xlarge", "A10", 4, 24),
            pcie("ecs.gn6i-c4g1.xlarge", "T4", 1, 16),
            pcie("ecs.gn6i-c8g1.2xlarge", "T4", 1, 16),
            pcie("ecs.gn6i-c16g1.4xlarge", "T4", 1, 16),
            pcie("ecs.gn6i-c24g1.6xlarge", "T4", 1, 16),
            pcie("ecs.gn6i-c24g1.12xlarge", "T4", 2, 16),
            pcie("ecs.gn6i-c24g1.24xlarge", "T4", 4, 16));

    private AliyunCatalogue() {}

    /** Shapes of a flavor, smallest and virtual first; empty if it is not sold. */
    static List<Shape> of(Flavor flavor) {
        return SHAPES.stream().filter(shape -> shape.flavor().equals(flavor)).toList();
    }

    private static Shape nvlink(String sku, String model, int gpus, int memoryGb) {
        return shape(sku, model, gpus, memoryGb, "nvlink");
    }

    private static Shape pcie(String sku, String model, int gpus, int memoryGb) {
        return shape(sku, model, gpus, memoryGb, "pcie");
    }

    private static Shape shape(String sku, String model, int gpus, int memoryGb, String interconnect) {
        return new Shape(sku, new Flavor(model, gpus), memoryGb, gpus == 1 ? "none" : interconnect, Set.of());
    }
}
