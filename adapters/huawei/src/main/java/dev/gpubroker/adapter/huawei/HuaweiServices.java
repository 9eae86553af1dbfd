package dev.gpubroker.adapter.huawei;

import java.util.Locale;

/** Which services an account uses. */
enum HuaweiServices {
    ALL,
    ECS,
    MODELARTS;

    boolean useServers() {
        return this != MODELARTS;
    }

    boolean usePools() {
        return this != ECS;
    }

    static HuaweiServices of(String option, String account) {
        return switch (option.toLowerCase(Locale.ROOT)) {
            case "all" -> ALL;
            case "ecs" -> ECS;
            case "modelarts" -> MODELARTS;
            default ->
                throw new IllegalArgumentException("account " + account
                        + ": option 'service' must be all, ecs or modelarts, not '" + option + "'");
        };
    }
}
