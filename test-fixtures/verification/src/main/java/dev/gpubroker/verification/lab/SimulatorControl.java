package dev.gpubroker.verification.lab;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The simulators' control, {@code /_sim}: what the platforms have, what goes wrong there, what runs. */
public final class SimulatorControl {
    private final Api api;

    public SimulatorControl(URI root) {
        this.api = new Api(root, "none", Duration.ofSeconds(10));
    }

    /** One machine that a platform runs or ran. */
    public record Machine(String platform, JsonNode row) {
        public boolean isLive() {
            return row.get("releasedAt").isNull();
        }

        /** The claim key in its name or tags; empty if it carries none. */
        public String key() {
            return row.path("key").asText("");
        }
    }

    public List<String> platforms() throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        api.get("/_sim").body().forEach(each -> names.add(each.get("platform").asText()));
        return names;
    }

    public void stock(String platform, String model, int gpusPerNode, int nodes)
            throws IOException, InterruptedException {
        put(
                "/_sim/" + platform + "/stock",
                Api.JSON
                        .createObjectNode()
                        .put("model", model)
                        .put("gpusPerNode", gpusPerNode)
                        .put("nodes", nodes));
    }

    /** @param hourly a decimal, per instance */
    public void price(String platform, String model, int gpusPerNode, String hourly)
            throws IOException, InterruptedException {
        put(
                "/_sim/" + platform + "/prices",
                Api.JSON
                        .createObjectNode()
                        .put("model", model)
                        .put("gpusPerNode", gpusPerNode)
                        .put("hourly", hourly));
    }

    public void fault(String platform, String operation, String kind, int times, Duration delay)
            throws IOException, InterruptedException {
        expect(api.post(
                "/_sim/" + platform + "/faults",
                Api.JSON
                        .createObjectNode()
                        .put("operation", operation)
                        .put("kind", kind)
                        .put("times", times)
                        .put("delayMs", delay.toMillis())));
    }

    public void clearFaults(String platform) throws IOException, InterruptedException {
        expect(api.call("DELETE", "/_sim/" + platform + "/faults", null, Map.of()));
    }

    /** Every machine of every platform, also those that are gone. */
    public List<Machine> machines() throws IOException, InterruptedException {
        List<Machine> all = new ArrayList<>();
        for (String platform : platforms()) {
            expect(api.get("/_sim/" + platform + "/instances"))
                    .body()
                    .forEach(row -> all.add(new Machine(platform, row)));
        }
        return all;
    }

    private void put(String path, JsonNode body) throws IOException, InterruptedException {
        expect(api.call("PUT", path, body, Map.of()));
    }

    private static Api.Answer expect(Api.Answer answer) throws IOException {
        if (!answer.isOk()) {
            throw new IOException("the simulators' control answered " + answer.status() + ": " + answer.body());
        }
        return answer;
    }
}
