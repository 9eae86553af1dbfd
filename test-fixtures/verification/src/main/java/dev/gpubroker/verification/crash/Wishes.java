package dev.gpubroker.verification.crash;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Random;

/** What a client asks for next: own nodes that many want, and platforms' machines from this hour on. */
final class Wishes {
    /** Model of the own pool. */
    static final String POOL_MODEL = "A100-SXM4-80GB";
    /** Few, so that places are fought for. */
    static final int POOL_NODES = 4;

    private static final int HOURS_AHEAD = 10;

    private final ZonedDateTime hour;
    private final Random random;

    /** @param hour the full hour that has just begun: a start then counts as now */
    Wishes(ZonedDateTime hour, Random random) {
        this.hour = hour;
        this.random = random;
    }

    /** A booking's body; the title is its key, so that the ledger alone shows whether a key was booked twice. */
    ObjectNode next(String key) {
        int dice = random.nextInt(100);
        ObjectNode body;
        if (dice < 60) {
            body = own();
        } else if (dice < 74) {
            body = onPlatforms("A100", random.nextInt(4) == 0 ? 2 : 1, List.of("aliyun"), "never");
        } else if (dice < 86) {
            body = onPlatforms("RTX4090", random.nextInt(4) == 0 ? 2 : 1, List.of("zhixingyun"), "never");
        } else if (dice < 92) {
            body = onPlatforms("V100", 1, List.of("huawei"), "never");
        } else {
            body = onPlatforms("A800", 1, List.of("aliyun", "zhixingyun"), "ask");
            body.withObject("substitution").putArray("models").add("A100").add("RTX4090");
        }
        return body.put("title", key);
    }

    private ObjectNode own() {
        ObjectNode body = Api.JSON.createObjectNode();
        body.putObject("gpu").put("model", POOL_MODEL).put("count", 1 + random.nextInt(8));
        times(body, hour.plusHours(random.nextInt(HOURS_AHEAD)), 1 + random.nextInt(4));
        platforms(body, List.of("pool"));
        if (random.nextInt(5) == 0) {
            body.put("onUnavailable", "queue");
        }
        return body;
    }

    private ObjectNode onPlatforms(String model, int nodes, List<String> platforms, String substitution) {
        ObjectNode body = Api.JSON.createObjectNode();
        body.putObject("gpu").put("model", model).put("count", 8 * nodes).put("nodes", nodes);
        times(body, hour, 1 + random.nextInt(2));
        platforms(body, platforms);
        body.putObject("substitution").put("mode", substitution);
        return body;
    }

    private static void times(ObjectNode body, ZonedDateTime start, int hours) {
        body.put("start", start.toOffsetDateTime().toString());
        body.put("end", start.plusHours(hours).toOffsetDateTime().toString());
    }

    private static void platforms(ObjectNode body, List<String> ids) {
        ArrayNode platforms = body.putObject("constraints").putArray("platforms");
        ids.forEach(platforms::add);
    }
}
