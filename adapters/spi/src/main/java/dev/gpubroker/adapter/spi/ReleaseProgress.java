package dev.gpubroker.adapter.spi;

import java.time.Instant;

/** How giving back stands. */
public sealed interface ReleaseProgress {
    /** The platform has nothing of it any more, and charges for nothing of it. */
    record Gone() implements ReleaseProgress {}

    /** Under way; ask again. */
    record InProgress(String detail) implements ReleaseProgress {}

    /** Not now: try again at {@code retryAt} (business time). */
    record Refused(Reason reason, String detail, Instant retryAt) implements ReleaseProgress {}

    default <T> T fold(Cases<T> cases) {
        if (this instanceof Gone g) {
            return cases.gone(g);
        }
        return this instanceof InProgress p ? cases.inProgress(p) : cases.refused((Refused) this);
    }

    interface Cases<T> {
        T gone(Gone gone);

        T inProgress(InProgress inProgress);

        T refused(Refused refused);
    }
}
