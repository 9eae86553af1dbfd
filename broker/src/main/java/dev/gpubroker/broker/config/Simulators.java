package dev.gpubroker.broker.config;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Which simulated platforms the broker deals with.
 *
 * @param control address of another process that hosts them; only with {@link Mode#REMOTE}
 */
public record Simulators(Mode mode, @Nullable URI control) {
    public static final Simulators NONE = new Simulators(Mode.NONE, null);
    public static final Simulators HOSTED = new Simulators(Mode.HOSTED, null);

    /** Where simulators run. */
    public enum Mode {
        NONE,
        /** In this process. */
        HOSTED,
        /** In another process, found through its control address. */
        REMOTE
    }

    public boolean present() {
        return mode != Mode.NONE;
    }
}
