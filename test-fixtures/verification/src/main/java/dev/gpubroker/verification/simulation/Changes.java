package dev.gpubroker.verification.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** People who change their minds. */
final class Changes {
    private Changes() {}

    static List<Action> all() {
        return List.of(
                new Action("end later", 5, (world, dice) -> moveEnd(world, dice, dice.between(1, 48))),
                new Action("end sooner", 4, (world, dice) -> moveEnd(world, dice, -dice.between(1, 24))),
                new Action("end later at the last moment", 3, Changes::atTheLastMoment),
                new Action("begin at another time", 2, Changes::moveStart),
                new Action("another number of GPUs", 3, Changes::resize),
                new Action("change twice at once", 2, Changes::twice),
                new Action("cancel", 7, Changes::cancel),
                new Action("answer a proposal", 6, Changes::answer));
    }

    private static Optional<Callers.Known> pick(World world, Dice dice, String what) {
        Optional<Callers.Known> which = world.callers.pick(dice);
        world.journal.did(what + " " + which.map(Callers.Known::toString).orElse("nobody's"));
        return which;
    }

    private static void moveEnd(World world, Dice dice, int hours) throws InterruptedException {
        Optional<Callers.Known> which = pick(world, dice, "move the end by " + hours + " h of");
        if (which.isEmpty()) {
            return;
        }
        change(
                world,
                dice,
                which.get(),
                now -> Api.JSON
                        .createObjectNode()
                        .put("end", Bookings.endOf(now).plusHours(hours).toString()));
    }

    private static void moveStart(World world, Dice dice) throws InterruptedException {
        int hours = dice.pick(-30, -3, 2, 5, 40);
        Optional<Callers.Known> which = pick(world, dice, "move the window by " + hours + " h of");
        if (which.isPresent()) {
            change(
                    world,
                    dice,
                    which.get(),
                    now -> Api.JSON
                            .createObjectNode()
                            .put(
                                    "start",
                                    OffsetDateTime.parse(now.get("request")
                                                    .get("start")
                                                    .asText())
                                            .plusHours(hours)
                                            .toString())
                            .put("end", Bookings.endOf(now).plusHours(hours).toString()));
        }
    }

    /** Of own capacity; what is bought grows by a second purchase, which is not played here. */
    private static void resize(World world, Dice dice) throws InterruptedException {
        int gpus = dice.pick(1, 2, 4, 8, 16);
        List<Ledger.Booking> own = world.ledger.bookings().stream()
                .filter(booking -> booking.isOnOwnNodes() && !booking.isEnded())
                .toList();
        world.journal.did("let one of " + own.size() + " have " + gpus + " GPUs");
        if (!own.isEmpty()) {
            change(
                    world,
                    dice,
                    new Callers.Known(0, dice.pick(own).id()),
                    now -> Api.JSON.createObjectNode().put("count", gpus));
        }
    }

    private static void change(World world, Dice dice, Callers.Known which, UnaryOperator<JsonNode> wish)
            throws InterruptedException {
        JsonNode now = world.callers.read(dice, which).orElseThrow();
        Api.Answer answer = world.insist(
                dice,
                "PATCH",
                "/v1/reservations/" + which.id(),
                wish.apply(now),
                Map.of(
                        "If-Match",
                        "\"" + now.get("version").asLong() + "\"",
                        "Idempotency-Key",
                        world.callers.newKey()));
        world.journal.came(Callers.shown(answer));
        if (!answer.isOk()) {
            mustBeAsBefore(world, dice, which, now);
        }
    }

    /** A refused change changes nothing: neither window nor count. The broker itself may have moved it on meanwhile. */
    private static void mustBeAsBefore(World world, Dice dice, Callers.Known which, JsonNode before)
            throws InterruptedException {
        JsonNode after = world.callers.read(dice, which).orElseThrow();
        if (!after.get("request").equals(before.get("request"))) {
            throw new Broken("a refused change changes nothing", before + " became " + after);
        }
    }

    /**
     * The window ends and its owner extends it, both at once: either it has ended, or it goes on with all it has. Both are
     * made to wait for a claim's row, the change first, so that it comes between the other's look and its deed.
     */
    private static void atTheLastMoment(World world, Dice dice) throws InterruptedException {
        world.journal.did("end later at the last moment");
        Optional<Ledger.Booking> next = Purchases.running(world, dice);
        if (next.isEmpty()) {
            return;
        }
        Ledger.Booking ending = next.get();
        world.advance(Duration.between(world.now(), ending.end()).minusSeconds(40));
        JsonNode now =
                world.callers.read(dice, new Callers.Known(0, ending.id())).orElseThrow();
        Map<String, String> headers = Map.of(
                "If-Match", "\"" + now.get("version").asLong() + "\"", "Idempotency-Key", world.callers.newKey());
        ObjectNode body = Api.JSON
                .createObjectNode()
                .put("end", Bookings.endOf(now).plusHours(3).toString());
        try (Sql holder = world.anotherConnection()) {
            holder.run("BEGIN");
            holder.run("SELECT 1 FROM claim WHERE reservation_id = ? FOR UPDATE", ending.id());
            LiveBroker broker = world.broker(dice.between(0, 1));
            Future<Optional<Api.Answer>> change =
                    Together.begin(() -> world.call(broker, "PATCH", "/v1/reservations/" + ending.id(), body, headers));
            Waiters.await(holder, 1);
            Future<Boolean> walk = Together.begin(() -> {
                world.advance(Duration.ofMinutes(2));
                return true;
            });
            Waiters.await(holder, 2);
            holder.run("COMMIT");
            Together.resultOf(change).ifPresent(answer -> world.journal.came(Callers.shown(answer)));
            Together.resultOf(walk);
        }
    }

    /** Both hold the same version; only one may win. */
    private static void twice(World world, Dice dice) throws InterruptedException {
        Optional<Callers.Known> which = pick(world, dice, "change twice at once");
        if (which.isEmpty()) {
            return;
        }
        JsonNode now = world.callers.read(dice, which.get()).orElseThrow();
        world.revive();
        List<Callable<Optional<Api.Answer>>> calls = new ArrayList<>();
        for (int hours : new int[] {dice.between(1, 5), dice.between(6, 9)}) {
            LiveBroker broker = world.broker(dice.between(0, 1));
            Map<String, String> headers = Map.of(
                    "If-Match", "\"" + now.get("version").asLong() + "\"", "Idempotency-Key", world.callers.newKey());
            ObjectNode body = Api.JSON
                    .createObjectNode()
                    .put("end", Bookings.endOf(now).plusHours(hours).toString());
            calls.add(() -> world.call(
                    broker, "PATCH", "/v1/reservations/" + which.get().id(), body, headers));
        }
        List<Optional<Api.Answer>> answers = Together.run(calls);
        answers.forEach(answer -> answer.ifPresent(each -> world.journal.came(Callers.shown(each))));
        if (answers.stream().allMatch(answer -> answer.map(Api.Answer::isOk).orElse(false))) {
            throw new Broken("of two changes of one version one wins", which.get() + ": both were accepted");
        }
    }

    private static void cancel(World world, Dice dice) throws InterruptedException {
        Optional<Callers.Known> which = dice.chance(50) ? holding(world, dice) : world.callers.pick(dice);
        world.journal.did("cancel " + which.map(Callers.Known::toString).orElse("nobody's"));
        if (which.isPresent()) {
            cancel(world, dice, which.get(), dice.chance(70));
        }
    }

    /** @param agrees to whatever it costs */
    static void cancel(World world, Dice dice, Callers.Known which, boolean agrees) throws InterruptedException {
        String path = "/v1/reservations/" + which.id();
        Api.Answer answer = world.insist(dice, "POST", path + "/cancel", Api.JSON.createObjectNode(), Map.of());
        world.journal.came(Callers.shown(answer));
        if (!answer.code().equals("cancellation_quote_required") || !agrees) {
            return;
        }
        Api.Answer quote = world.insist(dice, "POST", path + "/cancellation-quotes", null, Map.of());
        if (quote.isOk()) {
            Sums.checkCancellation(quote.body(), priceOf(world, which));
            world.journal.did("agree to the fee");
            ObjectNode agreed = Api.JSON
                    .createObjectNode()
                    .put("quoteId", quote.body().get("id").asText());
            world.journal.came(Callers.shown(world.insist(dice, "POST", path + "/cancel", agreed, Map.of())));
        }
    }

    private static @Nullable BigDecimal priceOf(World world, Callers.Known which) {
        return world.sql
                .find(
                        "SELECT (plan->'costing'->'total'->>'amount')::numeric AS price FROM reservation"
                                + " WHERE reservation_id = ?",
                        row -> Optional.ofNullable(row.getBigDecimal("price")),
                        which.id())
                .flatMap(price -> price)
                .orElse(null);
    }

    /** One that holds something. */
    private static Optional<Callers.Known> holding(World world, Dice dice) {
        Set<String> ids = world.ledger.bookings().stream()
                .filter(booking -> !booking.isEnded() && !booking.state().equals("queued"))
                .map(Ledger.Booking::id)
                .collect(Collectors.toSet());
        List<Callers.Known> holders = world.callers.all().stream()
                .filter(known -> ids.contains(known.id()))
                .toList();
        return holders.isEmpty() ? Optional.empty() : Optional.of(dice.pick(holders));
    }

    private static void answer(World world, Dice dice) throws InterruptedException {
        boolean yes = dice.chance(60);
        List<Ledger.Booking> offered = world.ledger.bookings().stream()
                .filter(booking -> booking.state().equals("offered"))
                .toList();
        world.journal.did((yes ? "accept" : "decline") + " one of " + offered.size());
        if (offered.isEmpty()) {
            return;
        }
        Api.Answer answer = world.insist(
                dice,
                "POST",
                "/v1/reservations/" + dice.pick(offered).id() + (yes ? "/accept" : "/decline"),
                null,
                Map.of("Idempotency-Key", world.callers.newKey()));
        world.journal.came(Callers.shown(answer));
    }
}
