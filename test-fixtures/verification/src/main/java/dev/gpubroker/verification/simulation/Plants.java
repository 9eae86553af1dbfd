package dev.gpubroker.verification.simulation;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Bugs that the simulation must find: each one a mistake that somebody could make. */
final class Plants {
    private static final Set<String> ZHIXINGYUN = Set.of("zhixingyun");
    private static final Set<String> ALIYUN = Set.of("aliyun");
    private static final String KILLED_BUYING = "a broker is killed while it buys";
    private static final String FROZEN_BUYING = "a broker stands still while it buys";

    /** Found by trying; where none stands here, the first seed does. */
    private static final Map<String, Long> SEEDS = Map.of("pause-ignored", 2L, "bought-by-the-piece", 2L);

    private static final int STEPS = 40;
    /** That every message arrives is seen at the end of a life only. */
    private static final Map<String, Integer> SHORTER = Map.of("news-once", 12);

    private Plants() {}

    static List<Plant> all() {
        return List.of(
                plant(
                        "no-intent",
                        "the platform is called before the intent is marked as sent",
                        Set.of("an intent is committed before the platform is called"),
                        ALIYUN,
                        Set.of("book on platforms", "time: to an edge"),
                        edit(
                                "claim/ClaimStep.java",
                                "compose(may -> may ? admit(claim, hold) : again(Duration.ofSeconds(1)));",
                                "compose(may -> may ? orders.of(claim).compose(order -> call(claim, order, hold)) : again(Duration.ofSeconds(1)));")),
                plant(
                        "no-fence",
                        "a worker whose hold has run out writes all the same",
                        Set.of("a claim moves along its table", "a claim is sent once"),
                        ZHIXINGYUN,
                        Set.of(FROZEN_BUYING),
                        edit(
                                "schedule/PgDueWork.java",
                                ".execute(Tuple.of(item.kind(), item.subject(), item.fence()))\n"
                                        + "                .map(rows -> rows.size() == 1);",
                                ".execute(Tuple.of(item.kind(), item.subject(), item.fence()))\n"
                                        + "                .map(rows -> true);")),
                plant(
                        "sent-again",
                        "a claim of which nobody knows is sent again instead of looked for",
                        Set.of("a claim is sent once"),
                        ZHIXINGYUN,
                        Set.of(KILLED_BUYING),
                        edit(
                                "claim/ClaimStep.java",
                                "case UNKNOWN:\n                return settle(claim, hold);",
                                "case UNKNOWN:\n                return orders.of(claim).compose(order -> call(claim, order, hold));")),
                plant(
                        "half-ended",
                        "an end that an extension overtook gives the machines back all the same",
                        Set.of("a machine lasts as long as its reservation"),
                        ALIYUN,
                        Set.of("end later at the last moment"),
                        edit("booking/Transition.java", """
                                .compose(next -> next.isPresent()
                                                ? Future.succeededFuture(next)
                                                : Future.failedFuture(new Overtaken()))""", ".compose(next -> Future.succeededFuture(next))")),
                plant(
                        "start-before-end",
                        "a start on own nodes does not wait for the end before it",
                        Set.of("a start waits for the end before it"),
                        ALIYUN,
                        Set.of("book right after another", "a broker stands still before an end"),
                        edit(
                                "allocation/PgAllocations.java",
                                ".map(rows -> rows.iterator().next().getBoolean(\"waits\"));",
                                ".map(rows -> false);")),
                plant(
                        "release-forgotten",
                        "a cancelled reservation leaves its machines running",
                        Set.of("machines are given back", "an ending means that everything is given back"),
                        ALIYUN,
                        Set.of("buy and cancel"),
                        edit(
                                "booking/Transition.java",
                                "return claims.unwant(connection, r.id()).compose(open -> {",
                                "return (ending == ReservationState.CANCELLED"
                                        + " ? Future.succeededFuture(java.util.List.<Claim>of())"
                                        + " : claims.unwant(connection, r.id())).compose(open -> {"),
                        // The step that follows would make good for it.
                        edit(
                                "booking/ReservationStep.java",
                                "return open.stream().anyMatch(claim -> !claim.unwanted()) ?",
                                "return open.isEmpty() ?")),
                plant(
                        "bought-by-the-piece",
                        "a group is bought whole, and then each of its machines again",
                        Set.of("nothing is bought twice"),
                        ALIYUN,
                        Set.of("buy and cancel"),
                        edit("booking/Purchase.java", "left -= nodes;", "left -= 1;")),
                plant(
                        "work-dropped",
                        "what has to wait for its start is taken off the list of work",
                        Set.of("what is certain begins", "every reservation comes to an end"),
                        ALIYUN,
                        Set.of("book on own nodes", "time: to an edge"),
                        edit(
                                "booking/ReservationStep.java",
                                "return Future.succeededFuture(Next.at(r.window().start()));",
                                "return Future.succeededFuture(Optional.empty());")),
                plant(
                        "wrong-total",
                        "the price of an extension is not added to the total",
                        Set.of("lines add up to the total"),
                        ALIYUN,
                        Set.of("end later at the last moment"),
                        edit("booking/AlteredPlan.java", "more == null ? total : total.plus(more)", "total")),
                plant(
                        "sweep-by-tag",
                        "the sweep ends whatever bears our mark",
                        Set.of("what is not in our ledger is not touched"),
                        ALIYUN,
                        Set.of("a machine newer than the ledger", "time: hours"),
                        edit(
                                "claim/Sweep.java",
                                "found.isEmpty() ? stop(account, holding) :",
                                "found.isEmpty() ? platforms.call(account, holding.ref().region(), Operation.RELEASE,"
                                        + " adapter -> adapter.release(holding.ref())).<Void>mapEmpty() :")),
                plant(
                        "key-after-effect",
                        "the idempotency key is looked at after the booking was made",
                        Set.of("one key books once", "one key has one answer"),
                        ALIYUN,
                        Set.of("book on own nodes", "book with one key at once"),
                        edit(
                                "http/Idempotency.java",
                                "return store.begin(team, key, requestHash)\n                .compose(start ->",
                                """
                                IdempotencyTicket none = new IdempotencyTicket() {
                                    public String team() { return team; }
                                    public String key() { return key; }
                                    public long fence() { return 0; }
                                    public Future<Void> lockIn(io.vertx.sqlclient.SqlConnection c) {
                                        return Future.succeededFuture();
                                    }
                                    public Future<Void> answerIn(io.vertx.sqlclient.SqlConnection c, ApiReply answer) {
                                        return Future.succeededFuture();
                                    }
                                };
                                return work.apply(none).compose(early -> store.begin(team, key, requestHash)
                                        .compose(start ->"""),
                        edit(
                                "http/Idempotency.java",
                                "return work.apply(started.ticket()).compose(answer -> settled(started.ticket(), answer));",
                                "return settled(started.ticket(), early);"),
                        edit(
                                "http/Idempotency.java",
                                "新的意图请使用新的值。\"));\n                    }\n                }));",
                                "新的意图请使用新的值。\"));\n                    }\n                })));")),
                plant(
                        "lost-news",
                        "a change of state leaves no message in the outbox",
                        Set.of("every change of state is told"),
                        ALIYUN,
                        Set.of("book on own nodes", "time: to an edge"),
                        edit(
                                "booking/Transition.java",
                                ".compose(done -> announce(connection, before, after, why))",
                                "")),
                plant(
                        "news-once",
                        "a message that the receiver refused is not sent again",
                        Set.of("every message arrives"),
                        ALIYUN,
                        Set.of("book on own nodes", "the receiver of news fails"),
                        edit(
                                "delivery/Deliveries.java",
                                "if (outcome.result() == Result.DELIVERED) {",
                                "if (outcome.result() != Result.GONE) {")),
                plant(
                        "short-count",
                        "fewer rectangles than asked count as the whole place",
                        Set.of("a confirmed place is whole"),
                        ALIYUN,
                        Set.of("book the same room twice at once"),
                        edit(
                                "allocation/PgAllocations.java",
                                "shared.result().size() == machines && taken.result().rowCount() == parts.size());",
                                "shared.result().size() == machines && taken.result().rowCount() >= 0);")),
                plant(
                        "one-look",
                        "a claim that is not listed once is given up",
                        Set.of("a claim is looked for long enough"),
                        ZHIXINGYUN,
                        Set.of(KILLED_BUYING),
                        edit("claim/ClaimStep.java", "if (times < LOOKS) {", "if (times < 1) {")),
                plant(
                        "late-and-kept",
                        "what appears after it was given up is kept",
                        Set.of("what was given up is not wanted again"),
                        ALIYUN,
                        Set.of("a purchase comes late"),
                        edit("claim/ClaimStep.java", "(tooLate ? edit.unwanted() : edit)", "(tooLate ? edit : edit)")),
                plant(
                        "end-not-moved",
                        "an extension does not move the platform's own end",
                        Set.of("a machine lasts as long as its reservation"),
                        ALIYUN,
                        Set.of("end later at the last moment", "time: hours"),
                        edit(
                                "booking/TimedEnds.java",
                                "has(claim) ? move(claim, end) :",
                                "has(claim) && claims.isEmpty() ? move(claim, end) :")),
                plant(
                        "pause-ignored",
                        "a pause does not stop buying",
                        Set.of("nothing is bought while buying is paused"),
                        ALIYUN,
                        Set.of("book on platforms", "time: to an edge", "buying is paused"),
                        edit(
                                "claim/MoneyGuard.java",
                                "if (account.getBoolean(\"paused\")) {",
                                "if (account.getBoolean(\"paused\") && account.getString(\"purchases\").isEmpty()) {")),
                plant(
                        "lost-update",
                        "a change is written over another one",
                        Set.of("of two changes of one version one wins"),
                        ALIYUN,
                        Set.of("book on own nodes", "change twice at once"),
                        edit(
                                "booking/PgReservationStore.java",
                                "AND owner = $3 AND version = $28 - 1",
                                "AND owner = $3")));
    }

    private static Plant.Edit edit(String file, String old, String now) {
        return new Plant.Edit(file, old, now);
    }

    private static Plant plant(
            String name,
            String what,
            Set<String> rules,
            Set<String> platforms,
            Set<String> often,
            Plant.Edit... edits) {
        return new Plant(
                name,
                what,
                rules,
                List.of(edits),
                SEEDS.getOrDefault(name, 1L),
                SHORTER.getOrDefault(name, STEPS),
                platforms,
                often);
    }

    static Plant named(String name) {
        return all().stream()
                .filter(plant -> plant.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no plant '" + name + "'; there are "
                        + all().stream().map(Plant::name).toList()));
    }
}
