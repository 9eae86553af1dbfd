package dev.gpubroker.verification.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The users of the broker: what they asked for, under which key, and what they were answered. */
final class Callers {
    private final World world;
    private final List<Known> known = new ArrayList<>();
    private final Map<String, JsonNode> answers = new HashMap<>();
    private int keys;

    Callers(World world) {
        this.world = world;
    }

    /** A reservation of which the caller has heard; {@code number} counts them in the order of hearing. */
    record Known(int number, String id) {
        @Override
        public String toString() {
            return "#" + number;
        }
    }

    String newKey() {
        return "key-" + ++keys;
    }

    /** Books under a key, which is also the title, so that the ledger tells how often it was carried out. */
    Api.Answer book(Dice dice, ObjectNode body, String key) throws InterruptedException {
        if (!body.has("title")) {
            body.put("title", key);
        }
        Api.Answer answer = world.insist(dice, "POST", "/v1/reservations", body, Map.of("Idempotency-Key", key));
        heard(key, answer);
        world.journal.came(shown(answer));
        return answer;
    }

    /** Keeps what was answered, and holds it against what the same key was answered before. */
    synchronized void heard(String key, Api.Answer answer) {
        if (!answer.isOk()) {
            return;
        }
        JsonNode before = answers.putIfAbsent(key, answer.body());
        if (before == null) {
            known.add(new Known(known.size() + 1, answer.body().get("id").asText()));
        } else if (!before.equals(answer.body())) {
            throw new Broken("one key has one answer", key + ": first " + before + " then " + answer.body());
        }
    }

    static String shown(Api.Answer answer) {
        return answer.status() + " "
                + (answer.isOk()
                        ? answer.body().path("state").asText("")
                        : answer.code() + " " + answer.body().path("detail").asText(""));
    }

    /** One of those booked so far, rather a late one. */
    Optional<Known> pick(Dice dice) {
        if (known.isEmpty()) {
            return Optional.empty();
        }
        int back = Math.min(dice.between(1, known.size()), dice.between(1, known.size()));
        return Optional.of(known.get(known.size() - back));
    }

    Optional<JsonNode> read(Dice dice, Known which) throws InterruptedException {
        Api.Answer answer = world.insist(dice, "GET", "/v1/reservations/" + which.id(), null, Map.of());
        if (!answer.isOk()) {
            throw new Broken("what was acknowledged exists", which.id() + ": " + answer.body());
        }
        return Optional.of(answer.body());
    }

    List<Known> all() {
        return List.copyOf(known);
    }
}
