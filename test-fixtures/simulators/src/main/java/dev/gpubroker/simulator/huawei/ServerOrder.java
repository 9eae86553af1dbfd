package dev.gpubroker.simulator.huawei;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.simulator.CloudInit;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimReply;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The body of a create: what ECS refuses at once, and the server it asks for. */
final class ServerOrder {
    private static final int LONGEST_TAG_KEY = 36;
    private static final int LONGEST_TAG_VALUE = 43;

    /** @return why the order is refused, or null if it is taken on */
    static @Nullable SimReply refusal(JsonNode server, int count, Instant now) {
        HuaweiCatalogue.Spec spec =
                HuaweiCatalogue.spec(server.path("flavorRef").asText()).orElse(null);
        String zone = server.path("availability_zone").asText(HuaweiCatalogue.ZONE);
        if (spec == null || spec.service() != HuaweiCatalogue.Service.ECS || !isZone(zone)) {
            // The platform says the same of a flavor that is gone and of a zone that never was.
            return Replies.ecs(400, "Ecs.0019", "The flavor is abandoned.");
        }
        String end = server.path("auto_terminate_time").asText("");
        if (server.path("imageRef").asText().isEmpty()
                || server.path("vpcid").asText().isEmpty()
                || server.path("nics").isEmpty()
                || server.path("root_volume").path("volumetype").asText().isEmpty()
                || !isName(server.path("name").asText(), count)
                || count < 1
                || count > 100
                || (!end.isEmpty() && end(end, now) == null)) {
            return Replies.ecs(400, "Ecs.0005", "The request is invalid.");
        }
        for (JsonNode tag : server.path("server_tags")) {
            if (tag.path("key").asText().length() > LONGEST_TAG_KEY
                    || tag.path("value").asText().length() > LONGEST_TAG_VALUE) {
                return Replies.ecs(400, "Ecs.0005", "A tag is too long.");
            }
        }
        return null;
    }

    /** @return the instant with its seconds cut off, or null if it is less than 30 minutes or more than 3 years ahead */
    static @Nullable Instant end(String text, Instant now) {
        try {
            Instant end = Instant.parse(text).truncatedTo(ChronoUnit.MINUTES);
            return end.isBefore(now.plus(Duration.ofMinutes(30))) || end.isAfter(now.plus(Duration.ofDays(3 * 365)))
                    ? null
                    : end;
        } catch (DateTimeException unreadable) {
            return null;
        }
    }

    static SimInstance machine(
            JsonNode server,
            HuaweiCatalogue.Spec spec,
            String id,
            int index,
            int count,
            boolean fails,
            Instant now,
            Instant ready) {
        Map<String, String> tags = new LinkedHashMap<>();
        server.path("server_tags")
                .forEach(tag ->
                        tags.put(tag.path("key").asText(), tag.path("value").asText()));
        String name = server.path("name").asText();
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("name", count == 1 ? name : name + String.format("-%04d", index + 1));
        attributes.put("zone", HuaweiCatalogue.ZONE);
        attributes.put("image", server.path("imageRef").asText());
        attributes.put("readyAt", ready.toString());
        attributes.put("fate", fails ? "ERROR" : "ACTIVE");
        Instant end = end(server.path("auto_terminate_time").asText(""), now);
        attributes.put("end", end == null ? "" : end.toString());
        attributes.put("publicIp", server.path("publicip").isMissingNode() ? "" : "127.0.0.1");
        attributes.put("dataDiskGb", server.at("/data_volumes/0/size").asText("0"));
        attributes.putAll(
                CloudInit.ofBase64(server.path("user_data").asText("")).attributes());
        String key = tags.getOrDefault(SimInstance.KEY_TAG, name);
        return new SimInstance(
                id, spec.sku().sku(), spec.sku().model(), spec.sku().gpus(), key, tags, "BUILD", now, null, attributes);
    }

    private static boolean isZone(String zone) {
        return zone.equals(HuaweiCatalogue.ZONE) || zone.equals(HuaweiCatalogue.EMPTY_ZONE);
    }

    private static boolean isName(String name, int count) {
        return !name.isEmpty() && name.length() <= (count > 1 ? 59 : 64);
    }

    private ServerOrder() {}
}
