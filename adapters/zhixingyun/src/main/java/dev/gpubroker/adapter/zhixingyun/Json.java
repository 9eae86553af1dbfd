package dev.gpubroker.adapter.zhixingyun;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Reads values as the platform sends them: a number may come as a text, and money may be null. */
final class Json {
    /** More digits than this are no amount, count or instant of this platform. */
    private static final int MOST_DIGITS = 30;

    /** @return null if there is no number */
    static @Nullable BigDecimal decimal(JsonNode node) {
        if (!node.isNumber() && !node.isTextual()) {
            return null;
        }
        try {
            BigDecimal value = node.isNumber()
                    ? node.decimalValue()
                    : new BigDecimal(node.asText().strip());
            return value.precision() > MOST_DIGITS || Math.abs(value.scale()) > MOST_DIGITS ? null : value;
        } catch (NumberFormatException noNumber) {
            return null;
        }
    }

    /** @return null if there is no whole number */
    static @Nullable Long whole(JsonNode node) {
        BigDecimal value = decimal(node);
        try {
            return value == null ? null : value.longValueExact();
        } catch (ArithmeticException noWholeNumber) {
            return null;
        }
    }

    static int whole(JsonNode node, int otherwise) {
        Long value = whole(node);
        return value == null || value != value.intValue() ? otherwise : value.intValue();
    }

    /** @return null if it is neither true nor false */
    static @Nullable Boolean yesNo(JsonNode node) {
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        String text = node.asText("");
        return text.equals("true") ? Boolean.TRUE : text.equals("false") ? Boolean.FALSE : null;
    }

    /** @return "" if there is no text */
    static String text(JsonNode node) {
        return node.isNull() ? "" : node.asText("").strip();
    }

    private Json() {}
}
