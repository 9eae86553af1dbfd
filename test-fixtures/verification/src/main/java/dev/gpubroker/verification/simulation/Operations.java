package dev.gpubroker.verification.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What an operator does, and time. */
final class Operations {
    private Operations() {}

    static List<Action> all() {
        return List.of(
                new Action("time: minutes", 8, (world, dice) -> pass(world, Duration.ofMinutes(dice.between(5, 55)))),
                new Action("time: hours", 8, (world, dice) -> pass(world, Duration.ofMinutes(dice.between(60, 1200)))),
                new Action("time: days", 5, (world, dice) -> pass(world, Duration.ofHours(dice.between(24, 140)))),
                new Action("time: to an edge", 10, Operations::toAnEdge),
                new Action("a pool is made", 2, Operations::makePool),
                new Action("a pool is deleted", 1, Operations::deletePool),
                new Action("buying is paused", 2, Operations::pause),
                new Action("buying goes on", 4, Operations::resume),
                new Action("a person looks at the tasks", 1, Operations::look),
                new Action("the receiver of news fails", 2, Operations::newsFail),
                new Action("the receiver of news works", 2, Operations::newsWork));
    }

    private static void pass(World world, Duration time) throws InterruptedException {
        world.journal.did("time passes by " + time);
        world.advance(time);
    }

    /** To shortly before or after something begins or ends, where most goes wrong. */
    private static void toAnEdge(World world, Dice dice) throws InterruptedException {
        Duration beside = Duration.ofMinutes(dice.pick(-1, 0, 1, 1, 7, 20));
        List<Instant> edges = world.ledger.bookings().stream()
                .filter(booking -> !booking.isEnded())
                .flatMap(booking -> Stream.of(booking.start(), booking.end()))
                .filter(edge -> edge.plus(beside).isAfter(world.now()))
                .filter(edge -> edge.isBefore(world.now().plus(Duration.ofDays(10))))
                .sorted()
                .distinct()
                .toList();
        if (edges.isEmpty()) {
            pass(world, Duration.ofHours(2));
            return;
        }
        Instant edge = edges.get(Math.min(edges.size() - 1, dice.pick(0, 0, 0, 1, 3)));
        pass(world, Duration.between(world.now(), edge.plus(beside)));
    }

    static void makePool(World world, Dice dice) throws InterruptedException {
        String key = world.callers.newKey();
        ObjectNode body = Api.JSON
                .createObjectNode()
                .put("name", "pool-" + key)
                .put("model", dice.pick("A100-SXM4-80GB", "A100-SXM4-80GB", "RTX4090"))
                .put("gpusPerNode", 8)
                .put("nodes", dice.pick(1, 1, 2, 3));
        if (dice.chance(25)) {
            body.put("turnaround", "PT30M");
        }
        world.journal.did("make " + body);
        world.journal.came(
                Callers.shown(world.insist(dice, "POST", "/v1/pools", body, Map.of("Idempotency-Key", key))));
    }

    private static void deletePool(World world, Dice dice) throws InterruptedException {
        List<String> pools = world.sql.list(
                "SELECT pool_id FROM pool ORDER BY created_at, pool_id", row -> row.getString("pool_id"));
        world.journal.did("delete one of " + pools.size() + " pools");
        if (pools.size() > 1) {
            world.journal.came(
                    Callers.shown(world.insist(dice, "DELETE", "/v1/pools/" + dice.pick(pools), null, Map.of())));
        }
    }

    private static void pause(World world, Dice dice) throws InterruptedException {
        world.journal.did("buying is paused");
        ObjectNode why = Api.JSON.createObjectNode().put("reason", "simulated");
        world.journal.came(Callers.shown(world.insist(dice, "POST", "/v1/purchases/pause", why, Map.of())));
        world.settle();
        world.wire.paused(true);
    }

    static void resume(World world, Dice dice) throws InterruptedException {
        world.journal.did("buying goes on");
        world.wire.paused(false);
        world.journal.came(Callers.shown(
                world.insist(dice, "POST", "/v1/purchases/resume", Api.JSON.createObjectNode(), Map.of())));
    }

    private static void look(World world, Dice dice) throws InterruptedException {
        world.journal.did("a person looks at the tasks");
        world.newcomers.aPersonLooks(dice);
    }

    private static void newsFail(World world, Dice dice) {
        world.journal.did("the receiver of news fails");
        world.receiver.refuse(true);
    }

    private static void newsWork(World world, Dice dice) {
        world.journal.did("the receiver of news works");
        world.receiver.refuse(false);
    }
}
