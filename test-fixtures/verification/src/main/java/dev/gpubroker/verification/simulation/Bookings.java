package dev.gpubroker.verification.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/** People and programs that book, alone and at the same moment. */
final class Bookings {
    private Bookings() {}

    static List<Action> all() {
        return List.of(
                new Action("book on own nodes", 12, Bookings::ownNodes),
                new Action("book on platforms", 16, Bookings::platforms),
                new Action("book by a phrase", 2, Bookings::phrase),
                new Action("book right after another", 6, Bookings::rightAfter),
                new Action("book the same room twice at once", 5, Bookings::sameRoom),
                new Action("book with one key at once", 4, Bookings::oneKey),
                new Action("book what was quoted", 3, Bookings::quoted));
    }

    private static void ownNodes(World world, Dice dice) throws InterruptedException {
        book(world, dice, Wishes.ofOwnNodes(world, dice));
    }

    private static void platforms(World world, Dice dice) throws InterruptedException {
        book(world, dice, Wishes.ofPlatforms(world, dice));
    }

    static void book(World world, Dice dice, ObjectNode body) throws InterruptedException {
        String key = world.callers.newKey();
        world.journal.did("book " + body);
        Api.Answer first = world.callers.book(dice, body, key);
        if (first.isOk() && dice.chance(15)) {
            world.journal.did("the same again with its key");
            world.callers.book(dice, body, key);
        }
    }

    private static void phrase(World world, Dice dice) throws InterruptedException {
        Wishes.Ware ware = Wishes.ware(world, dice);
        ObjectNode body = Api.JSON
                .createObjectNode()
                .put(
                        "phrase",
                        dice.pick(
                                ware.perNode() + "×" + ware.model() + " for 2 days from tomorrow",
                                ware.perNode() + "卡" + ware.model() + "从明天开始租1天"))
                .put("timeZone", world.zone().getId());
        book(world, dice, body);
    }

    /** The same nodes, from the instant at which the other one's window ends. */
    private static void rightAfter(World world, Dice dice) throws InterruptedException {
        List<Ledger.Booking> own = world.ledger.bookings().stream()
                .filter(booking -> booking.isOnOwnNodes() && !booking.isEnded())
                .filter(booking -> booking.end().isAfter(world.now()))
                .toList();
        if (own.isEmpty()) {
            ownNodes(world, dice);
            return;
        }
        after(world, dice, dice.pick(own));
    }

    /** The same nodes, if nobody else has them from then on. */
    static void after(World world, Dice dice, Ledger.Booking before) throws InterruptedException {
        String model = world.sql
                .find(
                        "SELECT model FROM reservation WHERE reservation_id = ?",
                        row -> row.getString("model"),
                        before.id())
                .orElseThrow();
        ObjectNode body = Wishes.wish(model, before.gpus(), before.end(), dice.pick("PT4H", "P1D"), world);
        body.putObject("constraints").putArray("platforms").add("pool");
        book(world, dice, body);
    }

    private static void sameRoom(World world, Dice dice) throws InterruptedException {
        ObjectNode body = dice.chance(70) ? Wishes.ofOwnNodes(world, dice) : Wishes.ofPlatforms(world, dice);
        world.journal.did("book twice at once " + body);
        atOnce(world, dice, List.of(world.callers.newKey(), world.callers.newKey()), body);
    }

    private static void oneKey(World world, Dice dice) throws InterruptedException {
        String key = world.callers.newKey();
        ObjectNode body = dice.chance(50) ? Wishes.ofOwnNodes(world, dice) : Wishes.ofPlatforms(world, dice);
        world.journal.did("book at once with one key " + body);
        atOnce(world, dice, List.of(key, key, key), body);
    }

    private static void atOnce(World world, Dice dice, List<String> keys, ObjectNode body) throws InterruptedException {
        List<Callable<Optional<Api.Answer>>> calls = new ArrayList<>();
        world.revive();
        for (String key : keys) {
            ObjectNode titled = body.deepCopy().put("title", key);
            LiveBroker broker = world.broker(dice.between(0, 1));
            calls.add(() -> world.call(broker, "POST", "/v1/reservations", titled, Map.of("Idempotency-Key", key)));
        }
        List<Optional<Api.Answer>> answers = Together.run(calls);
        for (int i = 0; i < keys.size(); i++) {
            if (answers.get(i).isPresent()) {
                world.callers.heard(keys.get(i), answers.get(i).get());
                world.journal.came(Callers.shown(answers.get(i).get()));
            }
        }
    }

    private static void quoted(World world, Dice dice) throws InterruptedException {
        ObjectNode body = dice.chance(40) ? Wishes.ofOwnNodes(world, dice) : Wishes.ofPlatforms(world, dice);
        world.journal.did("ask for quotes " + body);
        Api.Answer answer = world.insist(dice, "POST", "/v1/quotes", body, Map.of());
        world.journal.came(answer.status() + " " + answer.body().path("plans").size() + " plans " + answer.code());
        List<JsonNode> plans = new ArrayList<>();
        answer.body().path("plans").forEach(plan -> {
            Sums.check(plan);
            plans.add(plan);
        });
        if (!plans.isEmpty()) {
            JsonNode plan = dice.pick(plans.subList(0, Math.min(3, plans.size())));
            String key = world.callers.newKey();
            world.journal.did("book one of them");
            world.callers.book(
                    dice,
                    Api.JSON
                            .createObjectNode()
                            .put("quoteId", plan.get("quoteId").asText()),
                    key);
        }
    }

    static OffsetDateTime endOf(JsonNode reservation) {
        return OffsetDateTime.parse(reservation.get("request").get("end").asText());
    }
}
