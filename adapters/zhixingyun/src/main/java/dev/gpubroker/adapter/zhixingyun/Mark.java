package dev.gpubroker.adapter.zhixingyun;

import dev.gpubroker.adapter.spi.ClaimKey;
import java.util.Optional;

/**
 * What tells our machines from others: {@code <installation>.<claim key>}, sent as {@code ext_uid} with the create and, where
 * that does not come back, written into the machine's note. The platform has no tags.
 */
record Mark(String installation, ClaimKey key) {
    /** Reads a mark; empty for any other text, such as the phone number that the platform's own example suggests. */
    static Optional<Mark> read(String text) {
        int dot = text.lastIndexOf('.');
        if (dot < 1) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Mark(text.substring(0, dot), new ClaimKey(text.substring(dot + 1))));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    String text() {
        return installation + "." + key.text();
    }
}
