package dev.gpubroker.broker.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads bodies strictly: JSON only, once, no member twice, and nothing that a database or a number cannot hold. */
final class BodyJson {
    /** Longer numbers and exponents say nothing here and cost time when compared. */
    private static final int MOST_DIGITS = 60;

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private BodyJson() {}

    /**
     * Reads a body.
     *
     * @throws ApiProblem 400 {@code invalid_request}
     */
    static JsonNode read(byte[] body) {
        JsonNode json;
        try {
            json = ApiJson.mapper().readTree(text(body));
        } catch (JsonProcessingException e) {
            String at = e.getLocation() == null
                    ? ""
                    : " (line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ")";
            throw notJson("is not JSON" + at, "不是有效的 JSON" + at);
        } catch (IOException e) {
            throw notJson("is not JSON", "不是有效的 JSON");
        }
        if (json == null || json instanceof MissingNode) {
            throw notJson("is empty", "为空");
        }
        List<FieldError> errors = new ArrayList<>();
        check("", json, errors);
        if (!errors.isEmpty()) {
            throw new ApiProblem(Problem.invalid(errors));
        }
        return json;
    }

    /** Jackson would take UTF-16 and UTF-32, too, which a proxy that looks into bodies reads otherwise. */
    private static String text(byte[] body) {
        if (isWide(body)) {
            throw notUtf8();
        }
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
            return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw notUtf8();
        }
    }

    /** Whether it begins as UTF-16 or UTF-32 does: with their mark, or with a character of two bytes or four. */
    private static boolean isWide(byte[] body) {
        int first = body.length < 2 ? 1 : body[0] & 0xFF;
        int second = body.length < 2 ? 1 : body[1] & 0xFF;
        return first == 0 || second == 0 || (first == 0xFE && second == 0xFF) || (first == 0xFF && second == 0xFE);
    }

    private static ApiProblem notUtf8() {
        return notJson("is not UTF-8; send JSON in UTF-8", "不是 UTF-8 编码；请以 UTF-8 发送 JSON");
    }

    /** The value as Vert.x's validator wants it: whole numbers small if they fit, decimals exact. */
    static @Nullable Object forValidator(JsonNode json) {
        if (json.isObject()) {
            Map<String, @Nullable Object> members = new LinkedHashMap<>();
            json.fields().forEachRemaining(member -> members.put(member.getKey(), forValidator(member.getValue())));
            return new JsonObject(members);
        }
        if (json.isArray()) {
            List<@Nullable Object> items = new ArrayList<>();
            json.forEach(item -> items.add(forValidator(item)));
            return new JsonArray(items);
        }
        if (json.isNumber()) {
            return json.numberValue();
        }
        return json.isNull() ? null : json.isBoolean() ? (Object) json.booleanValue() : json.textValue();
    }

    /** The same value with members sorted, so that spacing and order do not matter. */
    static String canonical(JsonNode json) {
        try {
            return ApiJson.mapper().writeValueAsString(sorted(json));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("JSON that was read cannot be written", e);
        }
    }

    private static Object sorted(JsonNode json) {
        if (json.isObject()) {
            Map<String, Object> members = new TreeMap<>();
            json.fields().forEachRemaining(member -> members.put(member.getKey(), sorted(member.getValue())));
            return members;
        }
        if (json.isArray()) {
            List<Object> items = new ArrayList<>();
            json.forEach(item -> items.add(sorted(item)));
            return items;
        }
        return json;
    }

    private static void check(String field, JsonNode json, List<FieldError> errors) {
        if (json.isObject()) {
            json.fields().forEachRemaining(member -> {
                String name = member.getKey();
                if (isBad(name)) {
                    errors.add(new FieldError(field, "characters", "has a member whose name is not text", "字段名含有非法字符"));
                } else {
                    check(field.isEmpty() ? name : field + "." + name, member.getValue(), errors);
                }
            });
        } else if (json.isArray()) {
            for (int i = 0; i < json.size(); i++) {
                check(field + "[" + i + "]", json.get(i), errors);
            }
        } else if (json.isTextual() && isBad(json.textValue())) {
            errors.add(
                    new FieldError(field, "characters", "has U+0000 or half of a character pair", "含有 U+0000 或不完整的字符"));
        } else if (json.isNumber() && isHuge(json.decimalValue())) {
            errors.add(new FieldError(field, "range", "is out of range", "数值超出范围"));
        }
    }

    /** Whether a text has a character that PostgreSQL cannot keep, or that UTF-8 cannot say. */
    static boolean isBad(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0 || Character.isLowSurrogate(c)) {
                return true;
            }
            if (Character.isHighSurrogate(c)) {
                i++;
                if (i == text.length() || !Character.isLowSurrogate(text.charAt(i))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isHuge(BigDecimal number) {
        return number.precision() > MOST_DIGITS || Math.abs((long) number.scale()) > MOST_DIGITS;
    }

    private static ApiProblem notJson(String detail, String detailZh) {
        return new ApiProblem(Problem.invalidField("", "json", detail, detailZh));
    }
}
