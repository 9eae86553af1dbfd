package dev.gpubroker.simulator.zhixingyun;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimReply;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The platform's envelope: HTTP 200 whatever happened, the outcome in {@code code}, which is a string. */
final class Replies {
    private static final ObjectMapper JSON = new ObjectMapper()
            .configure(com.fasterxml.jackson.core.JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN, true)
            .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS);

    static SimReply good(@Nullable JsonNode data) {
        return envelope(true, "2000", "", data);
    }

    static SimReply bad(String message) {
        return bad("4000", message);
    }

    static SimReply bad(String code, String message) {
        return envelope(false, code, message, null);
    }

    /** What the gateway in front of the platform sends when there is no platform behind it. */
    static SimReply gatewayError() {
        return new SimReply(
                502,
                Map.of("content-type", "text/html"),
                "<html><head><title>502 Bad Gateway</title></head></html>".getBytes(StandardCharsets.UTF_8));
    }

    /** The platform sometimes sends its numbers as texts. */
    static JsonNode numbersAsText(JsonNode node) {
        if (node instanceof ObjectNode object) {
            ObjectNode copy = JsonNodeFactory.instance.objectNode();
            object.properties().forEach(field -> copy.set(field.getKey(), numbersAsText(field.getValue())));
            return copy;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode copy = JsonNodeFactory.instance.arrayNode();
            array.forEach(item -> copy.add(numbersAsText(item)));
            return copy;
        }
        return node.isNumber() ? JsonNodeFactory.instance.textNode(node.asText()) : node;
    }

    private static SimReply envelope(boolean success, String code, String message, @Nullable JsonNode data) {
        ObjectNode envelope = JsonNodeFactory.instance.objectNode();
        envelope.put("success", success);
        envelope.put("code", code);
        envelope.put("message", message);
        envelope.set("data", data == null ? JsonNodeFactory.instance.nullNode() : data);
        try {
            return SimReply.json(200, JSON.writeValueAsString(envelope));
        } catch (JsonProcessingException fault) {
            throw new IllegalStateException("a reply that cannot be written", fault);
        }
    }

    private Replies() {}
}
