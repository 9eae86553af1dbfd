package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Reason;
import org.jspecify.annotations.Nullable;

/**
 * A candidate that was left aside, and why; the caller sees every one.
 *
 * @param detailZh null where the reason's own words and the platform's do
 */
public record Rejection(
        String platform,
        @Nullable String sku,
        String model,
        Reason reason,
        String detail,
        @Nullable String detailZh) {
    public Rejection(String platform, @Nullable String sku, String model, Reason reason, String detail) {
        this(platform, sku, model, reason, detail, null);
    }
}
