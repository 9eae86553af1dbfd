package dev.gpubroker.broker.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.outbox.Message;
import dev.gpubroker.broker.stored.StoredJson;

/**
 * What an endpoint receives: {@code {type, timestamp, data}}, the same bytes on each try. Of a reservation {@code data} has
 * {@code sequence}, which rises with each of its changes, and the whole {@code reservation}, so that a receiver can drop what is
 * older than what it has.
 */
final class Payload {
    private static final JsonNodeFactory JSON = JsonNodeFactory.withExactBigDecimals(true);

    private Payload() {}

    static String of(Message message) {
        ObjectNode payload = JSON.objectNode();
        payload.put("type", message.topic());
        payload.put("timestamp", message.createdAt().toString());
        payload.set("data", data(message.body()));
        return StoredJson.write(payload);
    }

    private static JsonNode data(JsonNode body) {
        if (!body.path("full").isObject()) {
            return body;
        }
        ObjectNode data = JSON.objectNode();
        data.set("sequence", body.path("version"));
        data.set("was", body.path("was"));
        data.set("why", body.path("why"));
        if (body.hasNonNull("whyZh")) {
            data.set("whyZh", body.path("whyZh"));
        }
        if (body.hasNonNull("ending")) {
            data.set("ending", body.path("ending"));
        }
        data.set("reservation", body.path("full"));
        return data;
    }
}
