package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer to a request.
 *
 * @param status 200…299, or what a problem says
 * @param headers response headers, {@code Content-Type} included where there is a body
 * @param body what to send; null for nothing; not to be changed afterwards
 * @param events what to send as it comes, instead of a body
 */
public record ApiReply(
        int status,
        Map<String, String> headers,
        @Nullable Buffer body,
        @Nullable EventStream events) {
    /** Of every JSON answer that is not a problem. */
    public static final String JSON = "application/json";

    private static final String CONTENT_TYPE = "Content-Type";

    public ApiReply {
        headers = Map.copyOf(headers);
    }

    /** An answer that is whole. */
    public ApiReply(int status, Map<String, String> headers, @Nullable Buffer body) {
        this(status, headers, body, null);
    }

    /** 200 with a record, map or JSON node as JSON. */
    public static ApiReply ok(Object body) {
        return json(200, body);
    }

    /** 201 with the address of what was made. */
    public static ApiReply created(String location, Object body) {
        return json(201, body).withHeader("Location", location);
    }

    /** 202: taken on, not done yet. */
    public static ApiReply accepted(Object body) {
        return json(202, body);
    }

    /** 204. */
    public static ApiReply noContent() {
        return new ApiReply(204, Map.of(), null);
    }

    /** Any status with a record, map or JSON node as JSON. */
    public static ApiReply json(int status, Object body) {
        return new ApiReply(status, Map.of(CONTENT_TYPE, JSON), jsonBytes(body));
    }

    /** 200 with events as they come. */
    public static ApiReply events(EventStream events) {
        return new ApiReply(200, Map.of(), null, events);
    }

    /** 200 with bytes as they are. */
    public static ApiReply bytes(String contentType, byte[] body) {
        return new ApiReply(200, Map.of(CONTENT_TYPE, contentType), Buffer.buffer(body));
    }

    /** A refusal as a problem document; {@code requestId} becomes its {@code instance}. */
    public static ApiReply problem(Problem problem, String requestId) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("type", problem.type());
        document.put("title", problem.title());
        document.put("status", problem.status());
        document.put("code", problem.code());
        document.put("detail", problem.detail());
        document.put("detailZh", problem.detailZh());
        document.put("instance", requestId);
        if (!problem.errors().isEmpty()) {
            document.put("errors", problem.errors());
        }
        document.putAll(problem.extensions());
        Map<String, String> headers = new LinkedHashMap<>(problem.headers());
        headers.put(CONTENT_TYPE, "application/problem+json");
        return new ApiReply(problem.status(), headers, jsonBytes(document));
    }

    /** The same with one more header; an {@code ETag} for instance. */
    public ApiReply withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(requireNonNull(name), requireNonNull(value));
        return new ApiReply(status, more, body, events);
    }

    boolean isSuccess() {
        return status >= 200 && status < 300;
    }

    private static Buffer jsonBytes(Object body) {
        try {
            return Buffer.buffer(ApiJson.mapper().writeValueAsBytes(requireNonNull(body, "body")));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("an answer that is not JSON: " + body.getClass(), e);
        }
    }
}
