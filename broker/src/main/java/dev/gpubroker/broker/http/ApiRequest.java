package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A request that has passed identity, idempotency and the contract's schema.
 *
 * @param operationId the contract's name of the operation
 * @param requestId in the answer's {@code X-Request-Id}, in problems and in the log
 * @param pathParameters decoded, by name
 * @param queryParameters typed as the contract says, its defaults filled in; absent ones are missing
 * @param headers by lower-case name
 * @param body null if there is none
 * @param ticket null if the request carries no idempotency key
 */
public record ApiRequest(
        String operationId,
        String requestId,
        Caller caller,
        Map<String, String> pathParameters,
        Map<String, JsonNode> queryParameters,
        Map<String, String> headers,
        @Nullable JsonNode body,
        @Nullable IdempotencyTicket ticket,
        Language preferredLanguage) {

    public ApiRequest {
        requireNonNull(operationId, "operationId");
        requireNonNull(requestId, "requestId");
        requireNonNull(caller, "caller");
        pathParameters = Map.copyOf(pathParameters);
        queryParameters = Map.copyOf(queryParameters);
        Map<String, String> lowerCase = new TreeMap<>();
        headers.forEach((name, value) -> lowerCase.put(name.toLowerCase(Locale.ROOT), value));
        headers = Map.copyOf(lowerCase);
        requireNonNull(preferredLanguage, "preferredLanguage");
    }

    /** A path parameter the contract declares. */
    public String path(String name) {
        return requireNonNull(pathParameters.get(name), () -> "no path parameter " + name + " in " + operationId);
    }

    /** A query parameter as text; null if absent and without default. */
    public @Nullable String query(String name) {
        JsonNode value = queryParameters.get(name);
        return value == null ? null : value.asText();
    }

    /** A query parameter that the contract says is an integer. */
    public int queryInt(String name, int absent) {
        JsonNode value = queryParameters.get(name);
        return value == null ? absent : value.intValue();
    }

    /** The values of a repeatable query parameter, in the order given; empty if absent. */
    public List<String> queryList(String name) {
        JsonNode value = queryParameters.get(name);
        if (value == null) {
            return List.of();
        }
        List<String> values = new ArrayList<>();
        if (value.isArray()) {
            value.forEach(each -> values.add(each.asText()));
        } else {
            values.add(value.asText());
        }
        return values;
    }

    /**
     * A query parameter that is an instant: with an offset, or a date, which means its first moment in {@code zone}. Null if
     * absent.
     *
     * @throws ApiProblem 400 naming the parameter if it is no time, or lies outside {@link TimeBounds}
     */
    public @Nullable Instant queryTime(String name, ZoneId zone) {
        String text = query(name);
        if (text == null) {
            return null;
        }
        try {
            // A plus that was not encoded arrives as a space.
            Instant time = text.length() <= 10
                    ? LocalDate.parse(text).atStartOfDay(zone).toInstant()
                    : OffsetDateTime.parse(text.replace(' ', '+')).toInstant();
            if (!TimeBounds.hold(time)) {
                throw new ApiProblem(Problem.invalidField(name, "range", TimeBounds.ENGLISH, TimeBounds.CHINESE));
            }
            return time;
        } catch (DateTimeException e) {
            throw new ApiProblem(Problem.invalidField(
                    name,
                    "format",
                    "must be a date, or a time with an offset, as 2026-12-20T00:00:00+08:00",
                    "必须是日期，或带时区偏移的时间，例如 2026-12-20T00:00:00+08:00"));
        }
    }

    /** A header by any spelling of its name; null if absent. */
    public @Nullable String header(String name) {
        return headers.get(name.toLowerCase(Locale.ROOT));
    }

    /** The body of an operation whose contract requires an object. */
    public ObjectNode object() {
        if (body instanceof ObjectNode object) {
            return object;
        }
        throw new IllegalStateException("the contract of " + operationId + " does not require an object");
    }

    /**
     * The body as a record.
     *
     * @throws ApiProblem 400 naming the field if a value does not fit it
     */
    public <T> T bodyAs(Class<T> type) {
        try {
            return ApiJson.mapper().treeToValue(object(), type);
        } catch (JsonMappingException e) {
            String pointer = e.getPath().stream()
                    .map(step -> "/" + (step.getFieldName() == null ? step.getIndex() : step.getFieldName()))
                    .collect(Collectors.joining());
            throw new ApiProblem(Problem.invalidField(pointer, "type", "is not of the expected kind", "类型不符"));
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new IllegalStateException("a body that was JSON is none any more", e);
        }
    }
}
