package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A refusal as RFC 9457 has it.
 *
 * @param status 400…599
 * @param code stable snake_case name; the {@code type} is {@code urn:gpu-broker:problem:<code>}
 * @param detail what happened and what the caller can do, in English
 * @param detailZh the same in Chinese
 * @param errors the fields at fault; may be empty, and is then left out of the document
 * @param extensions further members of the document by name, as records, maps, lists, JSON nodes or plain values
 * @param headers response headers, as {@code Retry-After}
 */
public record Problem(
        int status,
        String code,
        String detail,
        String detailZh,
        List<FieldError> errors,
        Map<String, Object> extensions,
        Map<String, String> headers) {

    private static final Set<String> OWN_MEMBERS =
            Set.of("type", "title", "status", "code", "detail", "detailZh", "instance", "errors");

    public Problem {
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException("not a status of a problem: " + status);
        }
        if (!requireNonNull(code, "code").matches("[a-z][a-z0-9_]*")) {
            throw new IllegalArgumentException("not a problem code: " + code);
        }
        requireNonNull(detail, "detail");
        requireNonNull(detailZh, "detailZh");
        errors = List.copyOf(errors);
        extensions = Collections.unmodifiableMap(new LinkedHashMap<>(extensions));
        headers = Map.copyOf(headers);
        for (String member : extensions.keySet()) {
            if (OWN_MEMBERS.contains(member)) {
                throw new IllegalArgumentException("an extension may not replace the member " + member);
            }
        }
    }

    /** A problem without errors, extensions and headers. */
    public static Problem of(int status, String code, String detail, String detailZh) {
        return new Problem(status, code, detail, detailZh, List.of(), Map.of(), Map.of());
    }

    /** A 400 {@code invalid_request} about one field. */
    public static Problem invalidField(String field, String code, String detail, String detailZh) {
        return invalid(List.of(new FieldError(field, code, detail, detailZh)));
    }

    /**
     * A 400 that names every bad field: {@code unknown_field} if all that is wrong are members and parameters nobody
     * knows, else {@code invalid_request}.
     */
    public static Problem invalid(List<FieldError> errors) {
        boolean onlyUnknown = !errors.isEmpty()
                && errors.stream().allMatch(error -> error.code().equals("unknown_field"));
        return new Problem(
                400,
                onlyUnknown ? "unknown_field" : "invalid_request",
                sentence(errors, false),
                sentence(errors, true),
                errors,
                Map.of(),
                Map.of());
    }

    private static String sentence(List<FieldError> errors, boolean chinese) {
        StringBuilder text = new StringBuilder();
        for (FieldError error : errors) {
            text.append(text.isEmpty() ? "" : isEnded(text) ? (chinese ? "" : " ") : chinese ? "；" : "; ")
                    .append(error.field().isEmpty() ? (chinese ? "请求体" : "body") : error.field())
                    .append(chinese ? "：" : ": ")
                    .append(chinese ? error.detailZh() : error.detail());
        }
        return isEnded(text)
                ? text.toString()
                : text.append(chinese ? "。" : ".").toString();
    }

    /** Whether it ends in a mark of its own, as a question does. */
    private static boolean isEnded(CharSequence text) {
        return !text.isEmpty() && ".?!。？！".indexOf(text.charAt(text.length() - 1)) >= 0;
    }

    /** The same with one more member in the document. */
    public Problem with(String member, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(extensions);
        more.put(member, requireNonNull(value, member));
        return new Problem(status, code, detail, detailZh, errors, more, headers);
    }

    /** The same with one more response header. */
    public Problem withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Problem(status, code, detail, detailZh, errors, extensions, more);
    }

    /** The same with {@code Retry-After} in whole seconds, rounded up, at least 1. */
    public Problem retryAfter(Duration wait) {
        long seconds = Math.max(1, wait.plusMillis(999).toSeconds());
        return withHeader("Retry-After", Long.toString(seconds));
    }

    /** The document's {@code type}. */
    public String type() {
        return "urn:gpu-broker:problem:" + code;
    }

    /** The document's {@code title}: the code as words, the same for every problem of this type. */
    public String title() {
        String words = code.replace('_', ' ');
        return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }
}
