package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Reason;
import org.jspecify.annotations.Nullable;

/** A candidate that was left aside, and why; the caller sees every one. */
public record Rejection(String platform, @Nullable String sku, String model, Reason reason, String detail) {}
