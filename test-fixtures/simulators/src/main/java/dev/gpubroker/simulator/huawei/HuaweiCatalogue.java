package dev.gpubroker.simulator.huawei;

import dev.gpubroker.simulator.SimSku;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the simulated Huawei Cloud sells. Names from the flavor tables of the ECS and ModelArts documentation (2026-11); the
 * price of 8×V100-32GB (80 yuan an hour) is the one of the BSS example there, the others are scaled from it and simulated.
 */
final class HuaweiCatalogue {
    static final String REGION = "cn-north-4";
    static final String ZONE = "cn-north-4b";
    /** A zone in which every flavor is sold out, so that an adapter must look at zones. */
    static final String EMPTY_ZONE = "cn-north-4a";

    static final String NETWORK = "gpu-broker-" + SdkSignature.PROJECT_ID;

    enum Service {
        ECS,
        MODELARTS
    }

    /**
     * @param alias the accelerator as {@code pci_passthrough:alias} (ECS) or {@code npu.type} (ModelArts) names it
     * @param billingCode what BSS calls it, without the suffix for the operating system
     */
    record Spec(
            SimSku sku, Service service, int vcpus, int memoryGb, int gpuMemoryMb, String alias, String billingCode) {}

    static final List<Spec> SPECS = List.of(
            server("p2vs.16xlarge.8", "V100-SXM2-32GB", "V100", 8, "80.00", 4, 64, 512, 32_768, "nvidia-v100-sxm2-32g"),
            server("p2vs.8xlarge.8", "V100-SXM2-32GB", "V100", 4, "40.00", 2, 32, 256, 32_768, "nvidia-v100-sxm2-32g"),
            server("p2vs.4xlarge.8", "V100-SXM2-32GB", "V100", 2, "20.00", 2, 16, 128, 32_768, "nvidia-v100-sxm2-32g"),
            server("p2vs.2xlarge.8", "V100-SXM2-32GB", "V100", 1, "10.00", 2, 8, 64, 32_768, "nvidia-v100-sxm2-32g"),
            server("p2s.16xlarge.8", "V100-PCIE-32GB", "V100", 8, "80.00", 2, 64, 512, 32_768, "nvidia-v100"),
            server("p2s.2xlarge.8", "V100-PCIE-32GB", "V100", 1, "10.00", 2, 8, 64, 32_768, "nvidia-v100"),
            server("p2v.16xlarge.8", "V100-SXM2-16GB", "V100", 8, "68.00", 2, 64, 512, 16_384, "nvidia-v100-sxm2"),
            server("p2v.2xlarge.8", "V100-SXM2-16GB", "V100", 1, "8.50", 2, 8, 64, 16_384, "nvidia-v100-sxm2"),
            server("p1.8xlarge.8", "P100", "P100", 4, "25.60", 2, 32, 256, 16_384, "nvidia-p100"),
            server("p1.2xlarge.8", "P100", "P100", 1, "6.40", 2, 8, 64, 16_384, "nvidia-p100"),
            server("pi2.8xlarge.4", "T4", "T4", 4, "20.80", 2, 32, 128, 16_384, "nvidia-t4"),
            server("pi2.4xlarge.4", "T4", "T4", 2, "10.40", 3, 16, 64, 16_384, "nvidia-t4"),
            server("pi2.2xlarge.4", "T4", "T4", 1, "5.20", 4, 8, 32, 16_384, "nvidia-t4"),
            server("pi1.2xlarge.4", "P4", "P4", 1, "3.60", 2, 8, 32, 8_192, "nvidia-p4"),
            pool("modelarts.bm.snt9.xlarge.8", "Ascend-910A", "Ascend-910", 8, "64.00", 3, "modelarts.kat1.8xlarge"),
            pool("modelarts.bm.snt9.xlarge.2", "Ascend-910A", "Ascend-910", 2, "16.00", 2, "modelarts.kat1.2xlarge"),
            pool("modelarts.bm.d910.xlarge.1", "Ascend-910A", "Ascend-910", 1, "8.50", 4, "modelarts.d910.xlarge"),
            pool(
                    "modelarts.bm.npu.arm.8snt9b2.d",
                    "Ascend-910B3",
                    "Ascend-910B",
                    8,
                    "140.00",
                    2,
                    "modelarts.bm.npu.arm.8snt9b2"));

    /** Hourly price of one GB of a disk, by the name that BSS and ECS share. */
    static final Map<String, BigDecimal> DISKS = Map.of(
            "SSD", new BigDecimal("0.0021"),
            "GPSSD", new BigDecimal("0.0015"),
            "SAS", new BigDecimal("0.0007"));

    /** Hourly price of an unused-or-used public address: simulated. */
    static final BigDecimal ADDRESS = new BigDecimal("0.02");

    static List<SimSku> skus() {
        return SPECS.stream().map(Spec::sku).toList();
    }

    static Optional<Spec> spec(String sku) {
        return SPECS.stream().filter(spec -> spec.sku().sku().equals(sku)).findFirst();
    }

    private static Spec server(
            String sku,
            String model,
            String family,
            int gpus,
            String hourly,
            int nodes,
            int vcpus,
            int memoryGb,
            int gpuMemoryMb,
            String alias) {
        return new Spec(
                SimSku.of(sku, model, family, gpus, hourly, nodes),
                Service.ECS,
                vcpus,
                memoryGb,
                gpuMemoryMb,
                alias,
                sku);
    }

    private static Spec pool(
            String sku, String model, String family, int gpus, String hourly, int nodes, String billingCode) {
        return new Spec(
                SimSku.of(sku, model, family, gpus, hourly, nodes),
                Service.MODELARTS,
                24 * gpus,
                96 * gpus,
                32_768,
                model.startsWith("Ascend-910B") ? "ascend-snt9b2" : "ascend-snt9",
                billingCode);
    }

    private HuaweiCatalogue() {}
}
