package dev.gpubroker.broker.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.VisibleText;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Members of a JSON object read by name and type. What is absent or null reads as null; what is of the wrong type, too
 * long, or not a member at all is noted as an error of that path, and reads as null too.
 */
final class BodyFields {
    private final ObjectNode body;
    private final String path;
    private final FieldErrors errors;

    BodyFields(ObjectNode body, String path, FieldErrors errors, String... members) {
        this.body = body;
        this.path = path;
        this.errors = errors;
        Set<String> known = new HashSet<>(Arrays.asList(members));
        body.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                error(
                        name,
                        "unknown_field",
                        "There is no member “" + path(name) + "”.",
                        "没有名为“" + path(name) + "”的字段。");
            }
        });
    }

    boolean has(String name) {
        return value(name) != null;
    }

    String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    FieldErrors errors() {
        return errors;
    }

    void error(String name, String code, String detail, String detailZh) {
        errors.add(path(name), code, detail, detailZh);
    }

    /** At least one character that is not a space, trimmed. */
    @Nullable
    String text(String name, int longest) {
        JsonNode value = value(name);
        return value == null ? null : plain(name, value, longest);
    }

    /** Any text, line ends and all, as it is. */
    @Nullable
    String script(String name, int longest) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (!value.isTextual()) {
            return wrongType(name, "text", "文本");
        }
        String text = value.textValue();
        if (text.codePointCount(0, text.length()) > longest) {
            return tooLong(name, longest);
        }
        return isStorable(text) ? text : badCharacter(name);
    }

    @Nullable
    Boolean flag(String name) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (!value.isBoolean()) {
            wrongType(name, "true or false", "true 或 false");
            return null;
        }
        return value.booleanValue();
    }

    @Nullable
    Integer number(String name, int least, int most) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        BigDecimal exact = exact(value);
        boolean whole = exact != null && exact.stripTrailingZeros().scale() <= 0;
        if (!whole || !value.canConvertToInt() || value.intValue() < least || value.intValue() > most) {
            error(
                    name,
                    "out_of_range",
                    path(name) + " must be a whole number from " + least + " to " + most + ".",
                    path(name) + " 必须是 " + least + " 到 " + most + " 之间的整数。");
            return null;
        }
        return value.intValue();
    }

    /** A JSON number; null for anything else, and for one too large for Jackson (1e400 reads as infinite). */
    static @Nullable BigDecimal exact(JsonNode value) {
        boolean finite = value.isNumber() && Double.isFinite(value.doubleValue());
        return finite ? value.decimalValue() : null;
    }

    /** Texts in the order given, each once; empty where absent. */
    List<String> texts(String name, int longest) {
        JsonNode value = value(name);
        if (value == null) {
            return List.of();
        }
        if (!value.isArray()) {
            wrongType(name, "a list of texts", "文本列表");
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode item : value) {
            String text = plain(name, item, longest);
            if (text != null && !texts.contains(text)) {
                texts.add(text);
            }
        }
        return texts;
    }

    /** One of the constants, written in lower case. */
    <E extends Enum<E>> @Nullable E choice(String name, Class<E> type) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        List<String> names = Arrays.stream(type.getEnumConstants())
                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                .toList();
        int index = value.isTextual() ? names.indexOf(value.textValue()) : -1;
        if (index < 0) {
            error(
                    name,
                    "bad_value",
                    path(name) + " must be one of " + String.join(", ", names) + ".",
                    path(name) + " 必须是 " + String.join("、", names) + " 之一。");
            return null;
        }
        return type.getEnumConstants()[index];
    }

    @Nullable
    BodyFields object(String name, String... members) {
        JsonNode value = value(name);
        if (value == null) {
            return null;
        }
        if (value instanceof ObjectNode object) {
            return new BodyFields(object, path(name), errors, members);
        }
        wrongType(name, "an object", "对象");
        return null;
    }

    /** Text by name, for an object whose members are the caller's own; empty where absent. */
    Map<String, String> map(String name, int entries, int longestKey, int longestValue) {
        JsonNode value = value(name);
        if (value == null) {
            return Map.of();
        }
        if (!(value instanceof ObjectNode object) || object.size() > entries) {
            error(
                    name,
                    "too_many",
                    path(name) + " takes up to " + entries + " names with texts.",
                    path(name) + " 最多 " + entries + " 项，值为文本。");
            return Map.of();
        }
        Map<String, String> texts = new LinkedHashMap<>();
        object.properties().forEach(entry -> {
            String key = entry.getKey();
            String where = name + "." + key;
            String text = entry.getValue().isTextual() ? entry.getValue().textValue() : null;
            if (key.isBlank() || key.codePointCount(0, key.length()) > longestKey || !isStorable(key)) {
                error(
                        where,
                        "bad_value",
                        "A key of " + path(name) + " has 1 to " + longestKey + " characters.",
                        path(name) + " 的键为 1 到 " + longestKey + " 个字符。");
            } else if (text == null) {
                wrongType(where, "text", "文本");
            } else if (text.codePointCount(0, text.length()) > longestValue) {
                tooLong(where, longestValue);
            } else if (!isStorable(text)) {
                badCharacter(where);
            } else {
                texts.put(key, text);
            }
        });
        return texts;
    }

    @Nullable
    JsonNode value(String name) {
        JsonNode value = body.get(name);
        return value == null || value.isNull() ? null : value;
    }

    private @Nullable String plain(String name, JsonNode value, int longest) {
        if (!value.isTextual()) {
            return wrongType(name, "text", "文本");
        }
        String text = value.textValue().strip();
        if (text.isEmpty()) {
            error(name, "missing", path(name) + " is empty.", path(name) + " 为空。");
            return null;
        }
        if (text.codePointCount(0, text.length()) > longest) {
            return tooLong(name, longest);
        }
        boolean oneLine = VisibleText.fault(name, text, VisibleText.Kind.LINE).isEmpty();
        return oneLine && isStorable(text) ? text : badCharacter(name);
    }

    /** PostgreSQL takes neither NUL nor half of a surrogate pair. */
    private static boolean isStorable(String text) {
        return text.codePoints().noneMatch(c -> c == 0 || (c >= 0xD800 && c <= 0xDFFF));
    }

    private @Nullable String wrongType(String name, String type, String typeZh) {
        error(name, "bad_value", path(name) + " must be " + type + ".", path(name) + " 必须是" + typeZh + "。");
        return null;
    }

    private @Nullable String tooLong(String name, int longest) {
        error(
                name,
                "too_long",
                path(name) + " has at most " + longest + " characters.",
                path(name) + " 最多 " + longest + " 个字符。");
        return null;
    }

    private @Nullable String badCharacter(String name) {
        error(
                name,
                "bad_value",
                path(name) + " holds a character that cannot be seen, or half a character.",
                path(name) + " 含有不可见字符或不完整的字符。");
        return null;
    }
}
