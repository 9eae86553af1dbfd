package dev.gpubroker.adapter.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What came back from one call; every case is expected, and each operation decides for itself what it means. */
sealed interface Answer {
    /** A 2xx reply whose body is a JSON object; decimals are exact. */
    record Body(JsonNode json) implements Answer {}

    /**
     * The platform said no, in its own words.
     *
     * @param retryAfter the header of that name, or null
     */
    record Refusal(
            int status,
            String code,
            String message,
            @Nullable Duration retryAfter) implements Answer {
        /** Code and text, for people and logs. */
        String text() {
            return message.isEmpty() ? code : code + ": " + message;
        }
    }

    /** The request never left: no connection was made. */
    record NotSent(String why) implements Answer {}

    /** The request left, or may have, and no readable answer came: a broken connection, HTML, a cut body, a bare status. */
    record Lost(String why, boolean timedOut) implements Answer {}
}
