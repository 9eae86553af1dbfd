package dev.gpubroker.simulator.huawei;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimReply;
import java.util.Optional;

/** Bodies as the three services write them; each has an error shape of its own. */
final class Replies {
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN);

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static SimReply json(int status, JsonNode body) {
        try {
            return SimReply.json(status, JSON.writeValueAsString(body));
        } catch (JsonProcessingException fault) {
            throw new IllegalStateException("a tree can always be written", fault);
        }
    }

    /** @return empty if the body is no JSON object */
    static Optional<JsonNode> read(String body) {
        try {
            JsonNode node = JSON.readTree(body);
            return node != null && node.isObject() ? Optional.of(node) : Optional.empty();
        } catch (JsonProcessingException unreadable) {
            return Optional.empty();
        }
    }

    /** {@code {"error":{"code","message"}}}. */
    static SimReply ecs(int status, String code, String message) {
        ObjectNode body = object();
        body.putObject("error").put("code", code).put("message", message);
        return json(status, body);
    }

    /** {@code {"error_code","error_msg"}}, of ModelArts and BSS. */
    static SimReply plain(int status, String code, String message) {
        return json(status, object().put("error_code", code).put("error_msg", message));
    }

    /** The gateway in front of all of them adds its request id. */
    static SimReply gateway(int status, String code, String message) {
        return json(
                status,
                object().put("error_code", code)
                        .put("error_msg", message)
                        .put("request_id", "5d8f0a7c1b2e4d6f8a9b0c1d2e3f4a5b"));
    }

    private Replies() {}
}
