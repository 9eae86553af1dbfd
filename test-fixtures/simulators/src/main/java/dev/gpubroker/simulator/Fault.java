package dev.gpubroker.simulator;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Something that goes wrong the next {@code times} times that an operation is called.
 *
 * @param operation one of {@link #OPERATIONS}
 * @param delay of a hang (wall time) or a late effect (business time)
 * @param code the platform's own error code for {@link Kind#ERROR}; null for the platform's internal error
 */
public record Fault(
        String operation,
        Kind kind,
        int times,
        Duration delay,
        @Nullable String code) {
    public static final Set<String> OPERATIONS = Set.of("stock", "price", "claim", "find", "status", "release", "bill");

    public enum Kind {
        /** No answer for {@code delay}, no effect. */
        HANG,
        /** The effect is committed, the connection closed at once. */
        LOSE_REPLY,
        /** The connection is closed at once, the effect committed after {@code delay}. */
        LATE,
        /** The connection is closed before any effect. */
        RESET,
        THROTTLE,
        ERROR;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static Fault once(String operation, Kind kind) {
        return new Fault(operation, kind, 1, Duration.ofSeconds(60), null);
    }

    Fault used() {
        return new Fault(operation, kind, times - 1, delay, code);
    }
}
