package dev.gpubroker.adapter.spi;

import java.util.Locale;

/** Kinds of quote lines. The wire name is the constant in lower case. */
public enum LineKind {
    GPU,
    CPU_MEMORY,
    SYSTEM_DISK,
    DATA_DISK,
    IMAGE,
    NETWORK,
    BANDWIDTH,
    PUBLIC_IP,
    OPERATIONS,
    DIAGNOSIS,
    MIGRATION,
    SCALE_FEE,
    DEPRECIATION,
    TAX,
    EARLY_HOLD,
    IDLE_AFTER,
    KEEP,
    PENALTY,
    OTHER;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
