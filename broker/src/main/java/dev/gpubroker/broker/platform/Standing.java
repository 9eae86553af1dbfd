package dev.gpubroker.broker.platform;

import dev.gpubroker.broker.config.Caps;
import dev.gpubroker.broker.config.Purchases;
import org.jspecify.annotations.Nullable;

/**
 * What an account may spend now.
 *
 * @param stopped why buying and sweeping stand still until a person has looked; null where they do not
 */
record Standing(Purchases purchases, Caps caps, @Nullable String stopped) {
    boolean buys() {
        return purchases != Purchases.OBSERVE && stopped == null;
    }
}
