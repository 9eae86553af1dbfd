package dev.gpubroker.broker.catalogue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Environment variables that limit a program to some of a machine's GPUs. A courtesy, not a fence. */
public final class DeviceVariables {
    private static final Map<String, String> BY_VENDOR = Map.of(
            "nvidia", "CUDA_VISIBLE_DEVICES",
            "huawei", "ASCEND_RT_VISIBLE_DEVICES",
            "hygon", "HIP_VISIBLE_DEVICES");

    private final GpuCatalogue catalogue;

    public DeviceVariables(GpuCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * Empty where the model or its vendor's variable is not known.
     *
     * @param model as a machine carries it
     * @param gpus indexes
     */
    public Map<String, String> of(String model, List<Integer> gpus) {
        String indexes = gpus.stream().map(String::valueOf).collect(Collectors.joining(","));
        return catalogue.variants(model).stream()
                .findFirst()
                .flatMap(known -> Optional.ofNullable(BY_VENDOR.get(known.vendor())))
                .map(variable -> Map.of(variable, indexes))
                .orElse(Map.of());
    }
}
