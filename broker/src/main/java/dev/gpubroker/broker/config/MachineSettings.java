package dev.gpubroker.broker.config;

import dev.gpubroker.broker.request.MachineWish;
import org.jspecify.annotations.Nullable;

/**
 * What an account's settings say of its machines.
 *
 * @param defaults for what neither a request nor its person says
 * @param readiness how it is known that a machine can be used
 * @param health an address on the machine that answers when it can be used; null = SSH is asked
 */
public record MachineSettings(
        MachineWish defaults, Readiness readiness, @Nullable Health health) {
    public static final MachineSettings NONE = new MachineSettings(MachineWish.none(), Readiness.AUTO, null);

    /** When a machine that the platform reports as running counts as ready. */
    public enum Readiness {
        /** When it answers: at its health address, by SSH, or by calling home; unverified where there is no way to ask. */
        AUTO,
        /** When its start-up script has run and called home. */
        CALL_HOME,
        /** At once, unverified. */
        NONE
    }

    /** {@code http://<machine>:<port><path>} answers 2xx. */
    public record Health(int port, String path) {}
}
