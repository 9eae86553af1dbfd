package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.gpubroker.broker.net.Outbound.Answer;
import dev.gpubroker.broker.net.Outbound.Call;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Calls and answers in the forms that the targets share. */
final class Calls {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** A page of a hundred pipelines comes to half of it. */
    private static final int MOST_ANSWER_BYTES = 2 * 1024 * 1024;

    private Calls() {}

    static Call json(URI url, Map<String, String> headers, JsonNode body) {
        return new Call(
                HttpMethod.POST,
                url,
                with(headers, "Content-Type", "application/json"),
                Buffer.buffer(body.toString()),
                MOST_ANSWER_BYTES,
                0);
    }

    static Call form(URI url, Map<String, String> headers, Map<String, String> fields) {
        String body = fields.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        return new Call(
                HttpMethod.POST,
                url,
                with(headers, "Content-Type", "application/x-www-form-urlencoded"),
                Buffer.buffer(body),
                MOST_ANSWER_BYTES,
                0);
    }

    static Call get(URI url, Map<String, String> headers) {
        return new Call(HttpMethod.GET, url, with(headers, "User-Agent", "gpu-broker"), null, MOST_ANSWER_BYTES, 0);
    }

    static Call delete(URI url, Map<String, String> headers) {
        return new Call(HttpMethod.DELETE, url, with(headers, "User-Agent", "gpu-broker"), null, MOST_ANSWER_BYTES, 0);
    }

    /** What an answer holds; a missing node if it is no JSON. */
    static JsonNode read(Answer answer) {
        try {
            return JSON.readTree(answer.body().toString(StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    /** As a segment of a path or a value of a form. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static Map<String, String> with(Map<String, String> headers, String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(name, value);
        all.put("User-Agent", "gpu-broker"); // GitHub refuses calls without one.
        return all;
    }
}
