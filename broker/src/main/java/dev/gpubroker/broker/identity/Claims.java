package dev.gpubroker.broker.identity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What an OIDC token says. */
record Claims(ObjectNode json) {
    /** Years beyond are slips, and would overflow when added to. */
    private static final long LAST_SECOND = 253_402_300_799L;

    /** A text, a whole number or a truth value as text; null if absent or anything else. */
    @Nullable
    String text(String name) {
        JsonNode value = json.get(name);
        return value != null && (value.isTextual() || value.isIntegralNumber() || value.isBoolean())
                ? value.asText()
                : null;
    }

    /** Absent, null and empty text are the same: GitHub sends {@code head_ref} empty where there is none. */
    boolean isEmpty(String name) {
        JsonNode value = json.get(name);
        return value == null
                || value.isNull()
                || (value.isTextual() && value.textValue().isEmpty());
    }

    boolean is(String name, String expected) {
        return expected.equals(text(name));
    }

    /** Whether {@code name} is absent, or is {@code expected}. */
    boolean isIfPresent(String name, String expected) {
        return isEmpty(name) || is(name, expected);
    }

    /** Whole seconds since 1970; null if it is no such number. */
    @Nullable
    Instant instant(String name) {
        JsonNode value = json.get(name);
        return value != null
                        && value.isIntegralNumber()
                        && value.canConvertToLong()
                        && value.longValue() >= 0
                        && value.longValue() <= LAST_SECOND
                ? Instant.ofEpochSecond(value.longValue())
                : null;
    }

    /** The one audience; null if there is none, or are several: then the token was made for others too. */
    @Nullable
    String audience() {
        JsonNode value = json.get("aud");
        if (value != null && value.isArray() && value.size() == 1) {
            value = value.get(0);
        }
        return value != null && value.isTextual() ? value.textValue() : null;
    }

    /** Never shows what they are. */
    @Override
    public String toString() {
        return "claims";
    }
}
