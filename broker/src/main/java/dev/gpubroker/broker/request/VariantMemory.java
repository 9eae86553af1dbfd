package dev.gpubroker.broker.request;

/** A variant of a family and its memory in GB, as the vendor counts them: {@code Ascend-910B4}, 32. */
public record VariantMemory(String model, int memoryGb) {}
