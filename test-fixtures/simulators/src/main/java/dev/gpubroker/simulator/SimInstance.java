package dev.gpubroker.simulator;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One machine or pool node, live or gone; a bought window is the row of its machine from the purchase on.
 *
 * @param key the claim key found in the tag, name or note where the platform carries it; null if none was given
 * @param state the platform's own word
 * @param releasedAt when it was gone; null while it lives
 * @param attributes whatever the platform needs to remember about it
 */
public record SimInstance(
        String id,
        String sku,
        String model,
        int gpus,
        @Nullable String key,
        Map<String, String> tags,
        String state,
        Instant createdAt,
        @Nullable Instant releasedAt,
        Map<String, String> attributes) {
    /** Name of the tag in which our adapters put the claim key. */
    public static final String KEY_TAG = "gpu-broker-claim";

    @JsonIgnore // Follows from releasedAt; a stored row with it could not be read back.
    public boolean isLive() {
        return releasedAt == null;
    }

    public SimInstance in(String newState) {
        return new SimInstance(id, sku, model, gpus, key, tags, newState, createdAt, releasedAt, attributes);
    }

    public SimInstance gone(String newState, Instant at) {
        return new SimInstance(id, sku, model, gpus, key, tags, newState, createdAt, at, attributes);
    }

    public SimInstance with(String attribute, String value) {
        Map<String, String> more = new LinkedHashMap<>(attributes);
        more.put(attribute, value);
        return new SimInstance(id, sku, model, gpus, key, tags, state, createdAt, releasedAt, more);
    }

    /** @return the attribute, or "" */
    public String attribute(String name) {
        return attributes.getOrDefault(name, "");
    }
}
