package dev.gpubroker.adapter.spi;

import java.util.Locale;

/** Why a candidate was left aside or a claim refused. The wire name is the constant in lower case. */
public enum Reason {
    SOLD_OUT,
    STOCK_UNKNOWN,
    LEAD_TIME_TOO_LONG,
    NOT_OFFERED,
    SHAPE_NOT_OFFERED,
    TERM_NOT_OFFERED,
    WINDOW_UNSUPPORTED,
    NO_QUOTA,
    NO_BALANCE,
    NOT_ELIGIBLE,
    NOT_COMPLIANT,
    NOT_ALLOWED_BY_POLICY,
    MEMORY_TOO_SMALL,
    FORM_FACTOR,
    INTERCONNECT,
    FRAMEWORK_UNFIT,
    TOO_SLOW,
    TOO_EXPENSIVE,
    UNKNOWN_PRICE,
    BAD_PRICE,
    REGION,
    PLATFORM_UNAVAILABLE,
    BAD_CREDENTIALS,
    PURCHASES_OFF,
    STALE,
    REFUSED_UNKNOWN;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Reason ofWireName(String wireName) {
        return valueOf(wireName.toUpperCase(Locale.ROOT));
    }
}
