package dev.gpubroker.broker.http;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Words for a broken keyword of JSON Schema, in both languages. */
final class Violations {
    private static final Map<String, String[]> TYPES = Map.of(
            "integer", new String[] {"a whole number", "整数"},
            "number", new String[] {"a number", "数字"},
            "string", new String[] {"text", "文本"},
            "boolean", new String[] {"true or false", "true 或 false"},
            "object", new String[] {"an object", "对象"},
            "array", new String[] {"a list", "列表"},
            "null", new String[] {"null", "null"});

    private Violations() {}

    /**
     * @param limit what the keyword says; null if that is not known
     */
    static FieldError describe(String field, String keyword, @Nullable Object limit) {
        String value = text(limit);
        return switch (keyword) {
            case "type" -> error(field, keyword, "must be " + types(limit, 0, " or "), "必须是" + types(limit, 1, "或"));
            case "enum" -> error(field, keyword, "must be one of " + value, "必须是以下之一：" + value);
            case "const" -> error(field, keyword, "must be " + value, "必须是 " + value);
            case "minimum" -> error(field, keyword, "must be at least " + value, "不得小于 " + value);
            case "maximum" -> error(field, keyword, "must be at most " + value, "不得大于 " + value);
            case "exclusiveMinimum" -> error(field, keyword, "must be more than " + value, "必须大于 " + value);
            case "exclusiveMaximum" -> error(field, keyword, "must be less than " + value, "必须小于 " + value);
            case "multipleOf" -> error(field, keyword, "must be a multiple of " + value, "必须是 " + value + " 的倍数");
            case "minLength" ->
                "1".equals(value)
                        ? error(field, keyword, "must not be empty", "不得为空")
                        : error(field, keyword, "must have at least " + value + " characters", "至少 " + value + " 个字符");
            case "maxLength" ->
                error(field, keyword, "must have at most " + value + " characters", "最多 " + value + " 个字符");
            case "pattern" -> error(field, keyword, "must match " + value, "必须匹配 " + value);
            case "format" -> error(field, keyword, "is not a valid " + value, "不是有效的 " + value);
            case "minItems" ->
                "1".equals(value)
                        ? error(
                                field,
                                keyword,
                                "must not be an empty list; leave it out if none is meant",
                                "不得为空列表；没有要求时请省略")
                        : error(field, keyword, "must have at least " + value + " items", "至少 " + value + " 项");
            case "maxItems" -> error(field, keyword, "must have at most " + value + " items", "最多 " + value + " 项");
            case "uniqueItems" -> error(field, keyword, "must not have an item twice", "不得有重复项");
            case "minProperties" ->
                error(field, keyword, "must have at least " + value + " members", "至少 " + value + " 个字段");
            case "maxProperties" ->
                error(field, keyword, "must have at most " + value + " members", "最多 " + value + " 个字段");
            default -> error(field, keyword, "does not have an allowed form", "形式不符合要求");
        };
    }

    private static FieldError error(String field, String keyword, String detail, String detailZh) {
        String code = keyword.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
        return new FieldError(field, code, detail, detailZh);
    }

    private static String types(@Nullable Object limit, int language, String or) {
        List<?> types = limit instanceof List<?> list ? list : List.of(String.valueOf(limit));
        return types.stream()
                .map(type -> TYPES.getOrDefault(String.valueOf(type), new String[] {"of another kind", "其他类型"}))
                .map(words -> words[language])
                .collect(Collectors.joining(or));
    }

    private static String text(@Nullable Object limit) {
        return limit instanceof List<?> list
                ? list.stream().map(String::valueOf).collect(Collectors.joining(", "))
                : String.valueOf(limit);
    }
}
