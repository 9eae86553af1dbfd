package dev.gpubroker.adapter.huawei;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.huaweicloud.sdk.core.HcClient;
import com.huaweicloud.sdk.core.http.FieldExistence;
import com.huaweicloud.sdk.core.http.HttpMethod;
import com.huaweicloud.sdk.core.http.HttpRequestDef;
import com.huaweicloud.sdk.core.http.LocationType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** ModelArts through the SDK's core, which signs; bodies as JSON trees. Paths: API reference "Resource Management". */
final class ModelArtsClient {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
    private static final String PAGE = "500";
    private static final int MOST_PAGES = 20;

    private static final HttpRequestDef<Call, Reply> FLAVORS =
            define("ListResourceFlavors", HttpMethod.GET, "/v1/{project_id}/resourceflavors");
    private static final HttpRequestDef<Call, Reply> CREATE =
            define("CreatePool", HttpMethod.POST, "/v2/{project_id}/pools");
    private static final HttpRequestDef<Call, Reply> LIST =
            define("ListPools", HttpMethod.GET, "/v2/{project_id}/pools");
    private static final HttpRequestDef<Call, Reply> SHOW =
            define("ShowPool", HttpMethod.GET, "/v2/{project_id}/pools/{pool_name}");
    private static final HttpRequestDef<Call, Reply> NODES =
            define("ListPoolNodes", HttpMethod.GET, "/v2/{project_id}/pools/{pool_name}/nodes");
    private static final HttpRequestDef<Call, Reply> DELETE =
            define("DeletePool", HttpMethod.DELETE, "/v2/{project_id}/pools/{pool_name}");

    private final HcClient core;
    private final CallGuard guard;
    private final Duration queryTimeout;
    private final Duration claimTimeout;

    ModelArtsClient(HcClient core, CallGuard guard, Duration queryTimeout, Duration claimTimeout) {
        this.core = core;
        this.guard = guard;
        this.queryTimeout = queryTimeout;
        this.claimTimeout = claimTimeout;
    }

    /** The flavors of pools, all pages. */
    List<JsonNode> flavors() {
        return pages(FLAVORS, null);
    }

    /** The nodes of a pool, all pages. */
    List<JsonNode> nodes(String pool) {
        return pages(NODES, pool);
    }

    /** @param status {@code created}, {@code creating}, {@code failed}, or null for what the platform shows by default */
    List<JsonNode> pools(@Nullable String status) {
        return items(read(LIST, new Call(null, status, null, null, null)));
    }

    /** @return empty when the platform says that it has no such pool */
    Optional<JsonNode> pool(String id) {
        try {
            return Optional.of(read(SHOW, new Call(id, null, null, null, null)));
        } catch (WireFault fault) {
            if (HuaweiMapping.isAbsent(fault)) {
                return Optional.empty();
            }
            throw fault;
        }
    }

    JsonNode createPool(JsonNode pool) {
        Call call = new Call(null, null, null, null, pool.toString());
        return tree(guard.once(claimTimeout, () -> core.syncInvokeHttp(call, CREATE)));
    }

    void deletePool(String id) {
        Call call = new Call(id, null, null, null, null);
        guard.once(claimTimeout, () -> core.syncInvokeHttp(call, DELETE));
    }

    private List<JsonNode> pages(HttpRequestDef<Call, Reply> definition, @Nullable String pool) {
        List<JsonNode> all = new ArrayList<>();
        String next = null;
        for (int page = 0; page < MOST_PAGES; page++) {
            JsonNode answer = read(definition, new Call(pool, null, next, PAGE, null));
            all.addAll(items(answer));
            next = answer.path("metadata").path("continue").asText("");
            if (next.isEmpty()) {
                return all;
            }
        }
        throw WireFault.unreadable(200, "more than " + MOST_PAGES + " pages");
    }

    private static List<JsonNode> items(JsonNode answer) {
        if (!answer.path("items").isArray()) {
            throw WireFault.unreadable(200, "a list without items");
        }
        List<JsonNode> items = new ArrayList<>();
        answer.path("items").forEach(items::add);
        return items;
    }

    private JsonNode read(HttpRequestDef<Call, Reply> definition, Call call) {
        return tree(guard.read(queryTimeout, () -> core.syncInvokeHttp(call, definition)));
    }

    private static JsonNode tree(Reply reply) {
        try {
            return JSON.readTree(reply.text());
        } catch (JsonProcessingException unreadable) {
            throw WireFault.unreadable(200, "an answer that is no JSON");
        }
    }

    private static HttpRequestDef<Call, Reply> define(String name, HttpMethod method, String path) {
        HttpRequestDef.Builder<Call, Reply> builder = HttpRequestDef.builder(method, Call.class, Reply.class)
                .withName(name)
                .withUri(path)
                .withContentType("application/json");
        with(builder, "pool_name", LocationType.Path, Call::pool);
        with(builder, "status", LocationType.Query, Call::status);
        with(builder, "continue", LocationType.Query, Call::next);
        with(builder, "limit", LocationType.Query, Call::limit);
        with(builder, "body", LocationType.Body, Call::body);
        builder.<String>withResponseField(
                "body",
                LocationType.Body,
                FieldExistence.NULL_IGNORE,
                String.class,
                field -> field.withMarshaller(Reply::text, Reply::setText));
        return builder.build();
    }

    private static void with(
            HttpRequestDef.Builder<Call, Reply> builder,
            String name,
            LocationType location,
            Function<Call, @Nullable String> reader) {
        BiConsumer<Call, String> never = (call, value) -> {};
        builder.<String>withRequestField(
                name, location, FieldExistence.NULL_IGNORE, String.class, field -> field.withMarshaller(reader, never));
    }

    /** The parts of a request; what is null is not sent. */
    record Call(
            @Nullable String pool,
            @Nullable String status,
            @Nullable String next,
            @Nullable String limit,
            @Nullable String body) {}

    /** The text of an answer. Public because the SDK makes it by reflection. */
    public static final class Reply {
        private String text = "";

        public Reply() {}

        public String text() {
            return text;
        }

        public void setText(String text) {
            this.text = text;
        }
    }
}
