package dev.gpubroker.broker.delivery;

import org.jspecify.annotations.Nullable;

/**
 * What came of one try.
 *
 * @param status of the answer; null if there was none
 * @param excerpt the beginning of the answer, for whoever looks for the fault
 * @param inDoubt whether it may have taken effect although it failed
 * @param retryAfter the answer's header of this name, as it came
 */
public record Outcome(
        Result result,
        @Nullable Integer status,
        @Nullable String why,
        @Nullable String excerpt,
        boolean inDoubt,
        @Nullable String retryAfter) {
    /** What follows from it. */
    public enum Result {
        DELIVERED,
        /** Tried again as the schedule says. */
        AGAIN,
        /** The receiver wants no more: no further try. */
        NEVER,
        /** The receiver is gone, and its deliveries with it. */
        GONE
    }

    private static final int EXCERPT = 500;

    public Outcome {
        // PostgreSQL has no character 0, and a log line no line breaks.
        excerpt = excerpt == null || excerpt.isBlank()
                ? null
                : excerpt.substring(0, Math.min(EXCERPT, excerpt.length())).replaceAll("\\p{Cntrl}", " ");
    }

    public static Outcome delivered(@Nullable Integer status) {
        return delivered(status, null);
    }

    /** @param where what was made can be seen */
    public static Outcome delivered(@Nullable Integer status, @Nullable String where) {
        return new Outcome(Result.DELIVERED, status, null, where, false, null);
    }

    public static Outcome again(String why) {
        return new Outcome(Result.AGAIN, null, why, null, false, null);
    }

    public static Outcome again(int status, String why, String excerpt) {
        return new Outcome(Result.AGAIN, status, why, excerpt, false, null);
    }

    /** It may have taken effect. */
    public static Outcome inDoubt(String why) {
        return new Outcome(Result.AGAIN, null, why, null, true, null);
    }

    /** It may have taken effect, whatever the answer says. */
    public static Outcome inDoubt(int status, String why, String excerpt) {
        return new Outcome(Result.AGAIN, status, why, excerpt, true, null);
    }

    public static Outcome never(@Nullable Integer status, String why) {
        return new Outcome(Result.NEVER, status, why, null, false, null);
    }

    public static Outcome gone() {
        return new Outcome(Result.GONE, null, "the receiver was removed", null, false, null);
    }

    /** The same, of an answer that says when to come again; null if it does not. */
    public Outcome withRetryAfter(@Nullable String header) {
        return new Outcome(result, status, why, excerpt, inDoubt, header);
    }
}
