package dev.gpubroker.simulator.huawei;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import dev.gpubroker.simulator.SimTable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * ModelArts dedicated pools. A pool is taken on as Creating and becomes Running, all nodes of it or none, or Error. Names are
 * unique: the second of a name is refused with 409 {@code ModelArts.50015000} (API reference "Creating Resource Pools").
 */
final class PoolDesk {
    private static final Duration BUILDS = Duration.ofSeconds(110);
    private static final Duration FAILS = Duration.ofSeconds(50);
    private static final Duration DELETES = Duration.ofSeconds(45);

    private final Ground ground;
    private final SimTable<Pool> pools;

    /**
     * A pool. Its id is made of its name and the project, as the reference shows.
     *
     * @param failed whether it found no capacity; known to the outside from {@code readyAt} on
     * @param goneAt null until its deletion is asked for
     */
    record Pool(
            String id,
            String name,
            String description,
            String flavor,
            int count,
            Instant createdAt,
            Instant readyAt,
            boolean failed,
            @Nullable Instant goneAt) {
        Pool goneAt(Instant at) {
            return new Pool(id, name, description, flavor, count, createdAt, readyAt, failed, at);
        }

        String phase(Instant now) {
            if (goneAt != null) {
                return "Deleting";
            }
            if (now.isBefore(readyAt)) {
                return "Creating";
            }
            return failed ? "Error" : "Running";
        }
    }

    PoolDesk(Ground ground, SimTable<Pool> pools) {
        this.ground = ground;
        this.pools = pools;
    }

    SimReply create(SimRequest request, Instant now) {
        JsonNode body = Replies.read(request.text()).orElseGet(Replies::object);
        String name = body.at("/metadata/labels").path("os.modelarts/name").asText();
        JsonNode resource = body.at("/spec/resources/0");
        int count = resource.path("count").asInt();
        Optional<HuaweiCatalogue.Spec> spec =
                HuaweiCatalogue.spec(resource.path("flavor").asText());
        if (!body.path("kind").asText().equals("Pool")
                || !body.path("apiVersion").asText().equals("v2")
                || !name.matches("[a-z][a-z0-9-]{2,23}[a-z0-9]")
                || !body.at("/spec/type").asText().equals("Dedicate")
                || spec.isEmpty()
                || spec.get().service() != HuaweiCatalogue.Service.MODELARTS
                || count < 1
                || resource.path("maxCount").asInt(count) != count) {
            return Replies.plain(400, "ModelArts.50004000", "Bad request.");
        }
        if (!body.at("/spec/network/name").asText().equals(HuaweiCatalogue.NETWORK)) {
            return Replies.plain(404, "ModelArts.50025001", "Network not exist.");
        }
        String id = name + "-" + SdkSignature.PROJECT_ID;
        if (pools.get(id) != null) {
            return Replies.plain(409, "ModelArts.50015000", "Pool already exists.");
        }
        boolean failed = ground.free(spec.get().sku().sku()) < count;
        String description = body.at("/metadata/annotations")
                .path("os.modelarts/description")
                .asText();
        Pool pool = new Pool(
                id,
                name,
                description,
                spec.get().sku().sku(),
                count,
                now,
                now.plus(failed ? FAILS : BUILDS),
                failed,
                null);
        pools.put(id, pool);
        if (!failed) {
            ground.take(pool.flavor(), count);
            for (int index = 0; index < count; index++) {
                SimInstance node = node(pool, spec.get(), index)
                        .with(
                                "startupScript",
                                script(resource.at("/extendParams/postInstall").asText("")));
                ground.machines().put(node.id(), node);
            }
        }
        ObjectNode answer = json(pool, now);
        answer.putObject("status").putObject("resources"); // The reference's example of the answer states no phase yet.
        return Replies.json(200, answer);
    }

    private static String script(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    private static SimInstance node(Pool pool, HuaweiCatalogue.Spec spec, int index) {
        Map<String, String> tags = new LinkedHashMap<>();
        for (String word : pool.description().split(" ")) {
            int equals = word.indexOf('=');
            if (equals > 0) {
                tags.put(word.substring(0, equals), word.substring(equals + 1));
            }
        }
        String suffix = UUID.randomUUID().toString().substring(0, 5);
        return new SimInstance(
                "os-node-created-" + suffix + "-" + pool.name() + "-" + index,
                pool.flavor(),
                spec.sku().model(),
                spec.sku().gpus(),
                tags.get(SimInstance.KEY_TAG),
                tags,
                "Creating",
                pool.createdAt(),
                null,
                Map.of("pool", pool.id(), "ip", "192.168.20." + (index + 10)));
    }

    SimReply list(SimRequest request, Instant now) {
        ObjectNode body = Replies.object().put("kind", "PoolList").put("apiVersion", "v2");
        ArrayNode items = body.putArray("items");
        for (Pool pool : pools.all()) {
            String phase = pool.phase(now);
            boolean wanted = switch (request.param("status")) {
                case "creating" -> phase.equals("Creating");
                case "failed" -> phase.equals("Error");
                case "created" -> phase.equals("Running") || phase.equals("Deleting");
                default -> true;
            };
            if (wanted) {
                items.add(json(pool, now));
            }
        }
        return Replies.json(200, body);
    }

    SimReply show(String id, Instant now) {
        Pool pool = pools.get(id);
        return pool == null ? notFound() : Replies.json(200, json(pool, now));
    }

    SimReply nodes(String id) {
        if (pools.get(id) == null) {
            return notFound();
        }
        ObjectNode body = Replies.object().put("kind", "NodeList").put("apiVersion", "v2");
        body.putObject("metadata");
        ArrayNode items = body.putArray("items");
        for (SimInstance node : nodesOf(id)) {
            ObjectNode item = items.addObject().put("kind", "Node").put("apiVersion", "v2");
            item.putObject("metadata")
                    .put("name", node.id())
                    .put("creationTimestamp", node.createdAt().toString());
            item.putObject("spec").put("flavor", node.sku());
            item.putObject("status")
                    .put("phase", node.state())
                    .put("az", HuaweiCatalogue.ZONE)
                    .put("privateIp", node.attribute("ip"));
        }
        return Replies.json(200, body);
    }

    SimReply delete(String id, Instant now) {
        Pool pool = pools.get(id);
        if (pool == null) {
            return notFound();
        }
        Pool deleting = pool.goneAt() == null ? pool.goneAt(now.plus(DELETES)) : pool;
        pools.put(id, deleting);
        nodesOf(id).forEach(node -> ground.machines().put(node.id(), node.in("Deleting")));
        return Replies.json(200, json(deleting, now));
    }

    void settle(Instant now) {
        for (Pool pool : pools.all()) {
            Instant goneAt = pool.goneAt();
            if (goneAt != null && !goneAt.isAfter(now)) {
                List<SimInstance> nodes = nodesOf(pool.id());
                nodes.forEach(node -> ground.machines().put(node.id(), node.gone("Deleted", goneAt)));
                ground.take(pool.flavor(), -nodes.size());
                pools.remove(pool.id());
            } else if (goneAt == null && !pool.readyAt().isAfter(now)) {
                nodesOf(pool.id()).stream()
                        .filter(node -> node.state().equals("Creating"))
                        .forEach(node -> ground.machines().put(node.id(), node.in("Available")));
            }
        }
    }

    private List<SimInstance> nodesOf(String id) {
        return ground.machines()
                .where(node -> node.isLive() && node.attribute("pool").equals(id));
    }

    /** Wording of {@code status.message} of a pool without capacity: unverified. */
    private static ObjectNode json(Pool pool, Instant now) {
        ObjectNode json = Replies.object().put("kind", "Pool").put("apiVersion", "v2");
        ObjectNode metadata = json.putObject("metadata")
                .put("name", pool.id())
                .put("creationTimestamp", pool.createdAt().toString());
        metadata.putObject("labels")
                .put("os.modelarts/name", pool.name())
                .put("os.modelarts/workspace.id", "0")
                .put("os.modelarts/resource.id", "maos-" + pool.name())
                .put("os.modelarts/tenant.project.id", SdkSignature.PROJECT_ID);
        metadata.putObject("annotations")
                .put("os.modelarts/description", pool.description())
                .put("os.modelarts/billing.mode", "0");
        ObjectNode spec = json.putObject("spec").put("type", "Dedicate");
        spec.putArray("scope").add("Train");
        spec.putArray("resources")
                .addObject()
                .put("flavor", pool.flavor())
                .put("count", pool.count())
                .put("maxCount", pool.count());
        spec.putObject("network").put("name", HuaweiCatalogue.NETWORK);
        String phase = pool.phase(now);
        ObjectNode status = json.putObject("status").put("phase", phase);
        if (phase.equals("Error")) {
            status.put("message", "Insufficient resources of flavor " + pool.flavor() + ".");
        }
        ObjectNode resources = status.putObject("resources");
        String counted = switch (phase) {
            case "Creating" -> "creating";
            case "Running" -> "available";
            case "Deleting" -> "deleting";
            default -> "abnormal";
        };
        resources.putArray(counted).addObject().put("flavor", pool.flavor()).put("count", pool.count());
        return json;
    }

    private static SimReply notFound() {
        return Replies.plain(404, "ModelArts.50015001", "pool not found");
    }
}
