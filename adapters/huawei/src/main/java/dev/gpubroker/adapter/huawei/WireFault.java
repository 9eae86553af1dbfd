package dev.gpubroker.adapter.huawei;

import org.jspecify.annotations.Nullable;

/** A call that brought no good answer, before anybody judges what that means for the operation. */
final class WireFault extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int LONGEST_TEXT = 300;

    enum Kind {
        /** For certain not one byte of the request left. */
        NOT_SENT,
        /** Sent, no answer in time. */
        TIMED_OUT,
        /** Sent, and the connection broke. */
        BROKEN,
        /** An answer that is none: HTML, a cut body, an empty 200, a redirect. */
        UNREADABLE,
        /** The platform said no, with a status and mostly a code. */
        ANSWERED
    }

    private final Kind kind;
    private final int status;
    private final String code;
    private final String text;

    private WireFault(Kind kind, int status, String code, String text, @Nullable Throwable cause) {
        super(kind + " " + (status == 0 ? "" : status + " ") + code + ": " + text, cause);
        this.kind = kind;
        this.status = status;
        this.code = code;
        this.text = text;
    }

    static WireFault of(Kind kind, String text, @Nullable Throwable cause) {
        return new WireFault(kind, 0, "", text, cause);
    }

    static WireFault unreadable(int status, String why) {
        return new WireFault(Kind.UNREADABLE, status, "", why, null);
    }

    /** @param code "" where the answer states none */
    static WireFault answered(int status, String code, String text) {
        String some = text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) + "…" : text;
        return new WireFault(Kind.ANSWERED, status, code, some, null);
    }

    Kind kind() {
        return kind;
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }

    /** Code and text of the platform, for a log. */
    String words() {
        return code.isEmpty() ? (status == 0 ? text : "HTTP " + status + ": " + text) : code + ": " + text;
    }
}
