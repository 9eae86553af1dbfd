package dev.gpubroker.simulator.zhixingyun;

import dev.gpubroker.simulator.SimSku;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the simulated platform sells: models, sizes and images. */
final class ZhixingyunCatalogue {
    static final List<Integer> CARDS = List.of(1, 2, 4, 8);
    static final String DISTRICT = "js";
    static final List<String> IMAGES =
            List.of("ubuntu22_cuda12.4", "ubuntu22_pytorch2.4_cuda12.4", "win10_ai_cuda11.1");

    /** A size: cores and memory that go with so many cards. */
    record Spec(String name, int gpus, int cpus, int memoryGb, BigDecimal hourPrice) {}

    /** The sizes of 8 cards are the platform's example (API documentation, 2026); the smaller ones follow its names. */
    static final List<Spec> SPECS = List.of(
            spec("gcs.g1.base", 1, 6, 16, "0"),
            spec("gcs.g1.large", 1, 8, 24, "0.0625"),
            spec("gcs.g2.base", 2, 12, 32, "0"),
            spec("gcs.g2.large", 2, 16, 48, "0.125"),
            spec("gcs.g4.base", 4, 24, 64, "0"),
            spec("gcs.g4.large", 4, 24, 96, "0.25"),
            spec("gcs.g8.base", 8, 48, 128, "0"),
            spec("gcs.g8.large", 8, 48, 192, "0.5"),
            spec("gcs.g8.xlarge", 8, 64, 256, "1.32"));

    private record Model(
            String gpuType, String model, String family, String cardHour, List<Integer> nodes, int memoryGb) {}

    /**
     * Prices per card and hour. Seen with the platform: A100 both sizes, V100, RTX 3080 (third-party notes and the API
     * documentation's example, up to 2026). Invented for the simulator only, because no price was found: RTX 4090, A800, L4,
     * RTX 2080 Ti, GTX 1080 Ti.
     */
    private static final List<Model> MODELS = List.of(
            new Model("A100-SXM4-80GB", "A100-SXM4-80GB", "A100", "4.90", List.of(0, 0, 0, 0), 80),
            new Model("A100-SXM4-40GB", "A100-SXM4-40GB", "A100", "2.19", List.of(0, 0, 0, 0), 40),
            new Model("A800-SXM4-40GB", "A800-SXM4-40GB", "A800", "2.60", List.of(0, 0, 0, 2), 40),
            new Model("GeForce RTX 4090", "RTX4090", "RTX4090", "1.98", List.of(0, 0, 0, 8), 24),
            new Model("Tesla V100-32GB", "V100-SXM2-32GB", "V100", "1.32", List.of(2, 2, 2, 2), 32),
            new Model("L4", "L4", "L4", "1.10", List.of(2, 2, 0, 0), 24),
            new Model("GeForce RTX 3080", "RTX3080", "RTX3080", "0.43", List.of(4, 2, 2, 2), 10),
            new Model("GeForce RTX 2080 Ti", "RTX2080Ti", "RTX2080Ti", "0.36", List.of(4, 2, 2, 2), 11),
            new Model("GeForce GTX 1080 Ti", "GTX1080Ti", "GTX1080Ti", "0.24", List.of(4, 2, 2, 0), 11));

    static List<SimSku> skus() {
        List<SimSku> skus = new ArrayList<>();
        for (Model model : MODELS) {
            for (int i = 0; i < CARDS.size(); i++) {
                int cards = CARDS.get(i);
                skus.add(new SimSku(
                        skuName(model.gpuType(), cards),
                        model.model(),
                        model.family(),
                        cards,
                        new BigDecimal(model.cardHour()).multiply(BigDecimal.valueOf(cards)),
                        model.nodes().get(i)));
            }
        }
        return skus;
    }

    static List<String> gpuTypes() {
        return MODELS.stream().map(Model::gpuType).toList();
    }

    static int memoryGb(String gpuType) {
        return MODELS.stream()
                .filter(model -> model.gpuType().equals(gpuType))
                .findFirst()
                .orElseThrow()
                .memoryGb();
    }

    static String skuName(String gpuType, int cards) {
        return gpuType + "×" + cards;
    }

    static Optional<Spec> specOf(String name, int cards) {
        return SPECS.stream()
                .filter(spec -> spec.name().equals(name) && spec.gpus() == cards)
                .findFirst();
    }

    private static Spec spec(String name, int gpus, int cpus, int memoryGb, String hourPrice) {
        return new Spec(name, gpus, cpus, memoryGb, new BigDecimal(hourPrice));
    }

    private ZhixingyunCatalogue() {}
}
