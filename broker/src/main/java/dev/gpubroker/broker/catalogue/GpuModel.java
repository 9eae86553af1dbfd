package dev.gpubroker.broker.catalogue;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An exact GPU model.
 *
 * @param id names the variant: {@code A100-SXM4-80GB}, {@code RTX4090}, {@code Ascend-910B4-1}
 * @param family what people call it when the variant is open: {@code A100}; equal to the id where there is one variant
 * @param vendor {@code nvidia}, {@code huawei}, {@code hygon}, {@code biren}, {@code aws}
 * @param memoryGb nominal memory as it is sold
 * @param formFactor {@code sxm}, {@code pcie}, {@code nvl}, {@code oam}, {@code module}, {@code superchip}, {@code consumer}
 * @param interconnect how the GPUs of one machine are joined: {@code nvlink} (all to all), {@code nvlink_bridge} (pairs),
 *     {@code hccs}, {@code pcie} …
 * @param aliases further whole-token spellings of exactly this model
 * @param compute peak figures; the first dense half precision one is the figure to compare by; may be empty
 * @param provenance of name and memory
 * @param note what a reader should know, or null
 */
public record GpuModel(
        String id,
        String family,
        String vendor,
        int memoryGb,
        String formFactor,
        String interconnect,
        List<String> aliases,
        List<ComputeFigure> compute,
        Provenance provenance,
        @Nullable String note) {
    private static final Provenance STATED_BY_CALLER =
            new Provenance("stated by the caller", "2026-11-30", Provenance.Status.UNVERIFIED);

    public GpuModel {
        aliases = List.copyOf(aliases);
        compute = List.copyOf(compute);
        if (id.isBlank() || family.isBlank() || memoryGb < 1) {
            throw new IllegalArgumentException("a model has an id, a family and memory: " + id);
        }
    }

    /** A model of which only the names and the memory are known. */
    public GpuModel(String id, String family, String vendor, int memoryGb, String formFactor, List<String> aliases) {
        this(
                id,
                family,
                vendor,
                memoryGb,
                formFactor,
                formFactor.equals("sxm") ? "nvlink" : "pcie",
                aliases,
                List.of(),
                STATED_BY_CALLER,
                null);
    }

    /** Dense half precision peak in TFLOPS; empty where no source names such a figure. */
    public Optional<BigDecimal> denseHalfTflops() {
        return compute.stream().filter(ComputeFigure::isDenseHalf).findFirst().map(ComputeFigure::tflops);
    }
}
