package dev.gpubroker.verification.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.verification.lab.Api;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Machines that came past the broker, and those of the broker's that were ended past it. */
final class Newcomers {
    private final World world;
    private final List<Outside.Bought> strangers = new ArrayList<>();
    private final List<Outside.Bought> unknown = new ArrayList<>();
    private final Set<String> killed = new HashSet<>();
    private final Set<String> leaving = new HashSet<>();

    Newcomers(World world) {
        this.world = world;
    }

    boolean stranger(String platform, Flavor flavor) {
        return world.outside
                .buy(platform, flavor, "stranger")
                .map(strangers::add)
                .orElse(false);
    }

    /** With our installation's mark, as left by a database that was restored from before the purchase. */
    boolean newerThanLedger(String platform, Flavor flavor) {
        return world.outside
                .buy(platform, flavor, world.ledger.installation())
                .map(unknown::add)
                .orElse(false);
    }

    void kill(String platform, ClaimKey key) {
        killed.add(key.text());
        world.outside.end(platform, key);
    }

    /**
     * A person answers every task: ends what the sweep reported and lets buying go on, and says of a purchase whose worker
     * vanished what the platform's console shows.
     */
    void aPersonLooks(Dice dice) throws InterruptedException {
        unknown.removeIf(this::end);
        Api.Answer tasks = world.insist(dice, "GET", "/v1/tasks?limit=200", null, Map.of());
        for (JsonNode task : tasks.body().path("items")) {
            String answer = answer(task);
            world.journal.came(task.get("kind").asText() + ": " + answer);
            Api.Answer given = world.insist(
                    0,
                    "POST",
                    "/v1/tasks/" + task.get("id").asText() + "/answer",
                    Api.JSON.createObjectNode().put("answer", answer),
                    Map.of());
            if (!given.isOk()) {
                throw new Broken("a task can be answered", task + ": " + given.body());
            }
        }
    }

    private boolean end(Outside.Bought bought) {
        leaving.add(bought.key().text());
        return world.outside.end(bought.platform(), bought.key());
    }

    private String answer(JsonNode task) {
        return switch (task.get("kind").asText()) {
            case "claim_vanished" -> shows(new ClaimKey(task.get("subject").asText())) ? "exists" : "absent";
            case "launch_refused" -> "try_again";
            case "unknown_machine" -> "resume";
            case "contradiction" -> "look_again";
            default -> throw new Broken("a task says how it is answered", task.toString());
        };
    }

    private boolean shows(ClaimKey key) {
        String platform = world.sql
                .find("SELECT platform FROM claim WHERE claim_key = ?", row -> row.getString("platform"), key.text())
                .orElseThrow();
        return world.outside.has(platform, key);
    }

    void strangersLeave() {
        strangers.removeIf(this::end);
    }

    boolean wasKilled(String key) {
        return killed.contains(key);
    }

    /** Keys under which the broker must not touch anything before an instant. */
    Map<String, Instant> untouchable() {
        Map<String, Instant> keys = new HashMap<>();
        strangers.forEach(bought -> keys.put(bought.key().text(), bought.end()));
        unknown.forEach(bought -> keys.put(bought.key().text(), bought.end()));
        keys.keySet().removeAll(leaving);
        return keys;
    }

    boolean hasUnknown() {
        return !unknown.isEmpty();
    }
}
