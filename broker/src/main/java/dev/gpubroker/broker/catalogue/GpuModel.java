package dev.gpubroker.broker.catalogue;

import java.util.List;

/**
 * An exact GPU model.
 *
 * @param id names the variant: {@code A100-SXM4-80GB}, {@code RTX4090}, {@code Ascend-910B4-1}
 * @param family what people call it when the variant is open: {@code A100}; equal to the id where there is one variant
 * @param vendor {@code nvidia}, {@code huawei}, {@code hygon}, {@code biren}
 * @param memoryGb nominal memory as the vendor counts it
 * @param formFactor {@code sxm}, {@code pcie}, {@code nvl}, {@code oam}, {@code consumer} …
 * @param aliases further whole-token spellings of exactly this model
 */
public record GpuModel(String id, String family, String vendor, int memoryGb, String formFactor, List<String> aliases) {
    public GpuModel {
        aliases = List.copyOf(aliases);
    }
}
