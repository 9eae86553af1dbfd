package dev.gpubroker.adapter.aws;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A call that EC2 did not answer as asked: what is known of it, before anybody says what it means for the operation. */
final class AwsError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    enum Kind {
        /** The request never left. */
        NOT_SENT,
        /** No answer in time, after sending. */
        SILENT,
        /** The connection broke after sending. */
        BROKEN,
        /** An answer that is not EC2's: cut, empty, HTML. */
        UNREADABLE,
        /** EC2's own error, or at least an HTTP status. */
        ANSWERED
    }

    private final Kind kind;
    private final int status;
    private final @Nullable String code;
    private final @Nullable Duration retryAfter;

    private AwsError(
            Kind kind,
            int status,
            @Nullable String code,
            String message,
            @Nullable Duration retryAfter,
            @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.status = status;
        this.code = code;
        this.retryAfter = retryAfter;
    }

    static AwsError of(Kind kind, String message, @Nullable Throwable cause) {
        return new AwsError(kind, 0, null, message, null, cause);
    }

    /** @param code EC2's code; null if the answer held none */
    static AwsError answered(int status, @Nullable String code, @Nullable String text, @Nullable Duration retryAfter) {
        String said = code == null ? "HTTP " + status : code + " (HTTP " + status + ")" + firstLine(text);
        return new AwsError(Kind.ANSWERED, status, code, said, retryAfter, null);
    }

    /** The rest of a message may repeat signed headers. */
    private static String firstLine(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return "";
        }
        String line = text.strip().lines().findFirst().orElse("");
        return ": " + (line.length() > 200 ? line.substring(0, 200) + "…" : line);
    }

    Kind kind() {
        return kind;
    }

    int status() {
        return status;
    }

    /** EC2's code, "" if there was none. */
    String code() {
        return code == null ? "" : code;
    }

    @Nullable
    Duration retryAfter() {
        return retryAfter;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
