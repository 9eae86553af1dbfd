package dev.gpubroker.adapter.huawei;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.huaweicloud.sdk.core.exception.ExceptionHandler;
import com.huaweicloud.sdk.core.http.HttpRequest;
import com.huaweicloud.sdk.core.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * Looks at every answer before the SDK does, the body before the status: ECS tells of throttling with 202 and an error body, which
 * the SDK takes for a success without content; it does the same with a cut body and an empty 200.
 */
final class ReplyJudge implements ExceptionHandler {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int NO_CONTENT = 204;

    @Override
    public void handleException(HttpRequest request, HttpResponse response) {
        judge(response.getStatusCode(), response.getBodyAsString());
    }

    /** @throws WireFault unless the answer is a 2xx with a JSON object that is no error, or a 204 */
    static void judge(int status, @Nullable String body) {
        JsonNode node = object(body);
        if (status >= 400) {
            JsonNode error = node == null ? null : error(node, true);
            throw error == null
                    ? WireFault.answered(status, "", "no error body")
                    : WireFault.answered(status, code(error), message(error));
        }
        if (status == NO_CONTENT) {
            return;
        }
        if (status < 200 || status >= 300) {
            throw WireFault.unreadable(status, "a status that the API does not have");
        }
        if (node == null) {
            throw WireFault.unreadable(
                    status, body == null || body.isBlank() ? "an empty answer" : "an answer that is no JSON object");
        }
        JsonNode error = error(node, false);
        if (error != null) {
            throw WireFault.answered(status, code(error), message(error));
        }
    }

    private static @Nullable JsonNode object(@Nullable String body) {
        if (body == null || body.isBlank()) {
            return null;
        }
        try {
            JsonNode node = JSON.readTree(body);
            return node.isObject() ? node : null;
        } catch (JsonProcessingException unreadable) {
            return null;
        }
    }

    /**
     * The node that holds code and text: {@code {"error":{"code","message"}}} (ECS) or {@code {"error_code","error_msg"}} (gateway,
     * ModelArts, BSS); a job that failed has {@code error_code} too, but with {@code fail_reason}, and is a good answer.
     */
    private static @Nullable JsonNode error(JsonNode node, boolean failed) {
        if (node.path("error").path("code").isTextual()) {
            return node.path("error");
        }
        boolean flat = node.path("error_code").isTextual() && node.has("error_msg");
        boolean bare = failed && node.path("code").isTextual() && node.has("message");
        return flat || bare ? node : null;
    }

    private static String code(JsonNode error) {
        return error.path("code").asText(error.path("error_code").asText(""));
    }

    private static String message(JsonNode error) {
        return error.path("message").asText(error.path("error_msg").asText(""));
    }
}
