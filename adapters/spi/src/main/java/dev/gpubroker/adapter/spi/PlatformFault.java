package dev.gpubroker.adapter.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A call that brought no answer the caller could use. Thrown by a claim only if nothing was taken. The message is for a
 * log: it holds the platform's code and text and never a credential.
 */
public final class PlatformFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public enum Kind {
        /** No connection, or none in time. */
        UNREACHABLE,
        TIMED_OUT,
        THROTTLED,
        BAD_CREDENTIALS,
        /** Our own request was wrong: says nothing about the platform's health. */
        BAD_REQUEST,
        /** 5xx, or an answer that cannot be read. */
        PLATFORM_ERROR
    }

    private final Kind kind;
    private final @Nullable Duration retryAfter;

    public PlatformFault(Kind kind, String message) {
        this(kind, message, null, null);
    }

    public PlatformFault(Kind kind, String message, @Nullable Throwable cause) {
        this(kind, message, null, cause);
    }

    private PlatformFault(Kind kind, String message, @Nullable Duration retryAfter, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.retryAfter = retryAfter;
    }

    /** @param retryAfter the wait that the platform asks for, or null */
    public static PlatformFault throttled(String message, @Nullable Duration retryAfter) {
        return new PlatformFault(Kind.THROTTLED, message, retryAfter, null);
    }

    public Kind kind() {
        return kind;
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** Whether the same read may be sent again soon. */
    public boolean isRetryable() {
        return kind == Kind.UNREACHABLE || kind == Kind.TIMED_OUT || kind == Kind.PLATFORM_ERROR;
    }

    public Reason reason() {
        return kind == Kind.BAD_CREDENTIALS ? Reason.BAD_CREDENTIALS : Reason.PLATFORM_UNAVAILABLE;
    }
}
