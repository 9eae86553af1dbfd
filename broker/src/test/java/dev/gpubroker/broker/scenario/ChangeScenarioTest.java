package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of reservations and outages of machines, from outside: over HTTP, on real PostgreSQL, against simulators. */
class ChangeScenarioTest {
    @TempDir
    Path data;

    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.create();
        broker = new RunningBroker(database, data);
        broker.walkTo("2026-11-01T10:00:00+08:00");
    }

    @AfterEach
    void stop() {
        broker.close();
        database.close();
    }

    private void pool(int nodes, String turnaround) {
        Answer made = broker.call(
                "POST",
                "/v1/pools",
                "{\"name\":\"lab\",\"model\":\"A100-SXM4-80GB\",\"gpusPerNode\":8,\"nodes\":" + nodes
                        + ",\"turnaround\":\"" + turnaround + "\"}");
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
    }

    private JsonNode own(int gpus, String start, String end) {
        Answer booked = broker.book("""
                {"gpu":{"model":"A100","count":%d},"start":"%s:00+08:00","end":"%s:00+08:00","title":"%s to %s",
                 "constraints":{"platforms":["pool"]}}""".formatted(gpus, start, end, start, end));
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        return booked.body();
    }

    /** On aliyun, which sells by the hour from stock and ends machines by itself. */
    private JsonNode bought(int gpus, String start, String end, String more) {
        Answer booked = broker.book("""
                {"gpu":{"model":"A100","count":%d},"start":"%s:00+08:00","end":"%s:00+08:00",
                 "constraints":{"platforms":["aliyun"]},"substitution":{"mode":"never"}%s}""".formatted(gpus, start, end, more));
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        return booked.body();
    }

    private static String end(String time) {
        return "{\"end\":\"" + time + ":00+08:00\"}";
    }

    private static List<String> nodes(JsonNode reservation) {
        return StreamSupport.stream(reservation.get("assignment").get("nodes").spliterator(), false)
                .map(node -> node.get("name").asText() + node.get("gpus"))
                .toList();
    }

    private static String code(Answer answer) {
        return answer.body().path("code").asText();
    }

    private String state(JsonNode booked) {
        return broker.reservation(booked).get("state").asText();
    }

    /** All that a refused change must leave as it was. */
    private void assertUnchanged(JsonNode booked, JsonNode before) {
        assertThat(broker.reservation(booked)).isEqualTo(before);
    }

    @Test
    void aChangeThatChangesNothingLeavesTheVersionAndABadOneNamesItsReason() {
        pool(1, "PT0S");
        JsonNode booked = own(8, "2026-11-20T00:00", "2026-11-22T00:00");
        JsonNode before = broker.reservation(booked);

        Answer same = broker.change(
                booked, "{\"title\":\"" + before.get("title").asText() + "\",\"end\":\"2026-11-22T00:00:00+08:00\"}");

        assertThat(same.status()).as("%s", same.body()).isEqualTo(200);
        assertUnchanged(booked, before);
        assertThat(code(broker.change(booked, "{\"start\":\"2026-10-01T00:00:00+08:00\"}")))
                .isEqualTo("in_the_past");
        Answer tooLong = broker.change(booked, end("2027-09-01T00:00"));
        assertThat(tooLong.body().get("errors").get(0).get("code").asText()).isEqualTo("too_long");
        assertUnchanged(booked, before);
    }

    // ---- adjacent bookings ---------------------------------------------------------------------------------

    @Test
    @DisplayName(
            "L-01: adjacent bookings are both accepted, and at noon the first is released before the second starts")
    void adjacentBookingsFollowEachOther() {
        pool(1, "PT0S");
        JsonNode first = own(8, "2026-11-02T10:00", "2026-11-02T12:00");
        JsonNode second = own(8, "2026-11-02T12:00", "2026-11-02T14:00");

        broker.walkTo("2026-11-02T11:00:00+08:00");
        assertThat(state(first)).isEqualTo("active");
        assertThat(state(second)).isEqualTo("confirmed");

        broker.walkTo("2026-11-02T12:05:00+08:00");
        assertThat(state(first)).isEqualTo("completed");
        assertThat(state(second)).isEqualTo("active");
        assertThat(broker.reservation(second).get("health")).isEmpty();
    }

    @Test
    @DisplayName("L-01: while the first is not cleared away the second is delayed, not failed, and starts after that")
    void aStartWaitsForTheCleanUpBeforeIt() {
        pool(1, "PT0S");
        JsonNode first = own(8, "2026-11-02T10:00", "2026-11-02T12:00");
        JsonNode second = own(8, "2026-11-02T12:00", "2026-11-02T14:00");
        broker.walkTo("2026-11-02T11:00:00+08:00");
        String id = first.get("id").asText();
        // As if the broker that ends the first had stalled: nobody takes its end in hand.
        database.execute(
                "UPDATE due_work SET due_at = '2027-01-01' WHERE kind = 'reservation' AND subject = '" + id + "'");

        broker.walkTo("2026-11-02T12:10:00+08:00");
        assertThat(state(second)).isEqualTo("provisioning");
        assertThat(broker.reservation(second).get("health").toString()).contains("delayed");

        database.execute(
                "UPDATE due_work SET due_at = '2026-11-02T12:00+08:00' WHERE kind = 'reservation' AND subject = '" + id
                        + "'");
        broker.walkTo("2026-11-02T12:12:00+08:00");
        assertThat(state(first)).isEqualTo("completed");
        assertThat(state(second)).isEqualTo("active");
        assertThat(broker.reservation(second).get("health")).isEmpty();
    }

    @Test
    @DisplayName(
            "L-04: a conflict names the interval, the machine and the team's own reservation, and free windows their pool")
    void aConflictSaysWhatIsInTheWay() {
        pool(1, "PT0S");
        JsonNode taken = own(8, "2026-11-20T00:00", "2026-11-22T00:00");

        Answer refused = broker.book("""
                {"gpu":{"model":"A100","count":4},"start":"2026-11-21T00:00:00+08:00","duration":"P2D",
                 "constraints":{"platforms":["pool"]}}""");

        assertThat(refused.status()).isEqualTo(409);
        JsonNode conflict = refused.body().get("conflicts").get(0);
        assertThat(conflict.get("reservation")).isEqualTo(taken.get("id"));
        assertThat(conflict.get("node").asText()).isEqualTo("lab-1");
        assertThat(conflict.get("gpus")).hasSize(8);
        assertThat(conflict.get("start").asText()).isEqualTo("2026-11-20T00:00:00+08:00");
        assertThat(conflict.get("end").asText()).isEqualTo("2026-11-22T00:00:00+08:00");
        JsonNode free = refused.body().get("freeWindows").get(0);
        assertThat(free.get("start").asText()).isEqualTo("2026-11-22T00:00:00+08:00");
        assertThat(free.get("platform").asText()).isEqualTo("pool");
        assertThat(free.get("pool").asText()).isEqualTo("lab");
        assertThat(free.get("count").asInt()).isEqualTo(8);
    }

    // ---- extending in a pool -------------------------------------------------------------------------------

    @Test
    @DisplayName(
            "L-05, L-07: running work is extended up to another's window, and no further; it never moves to free machines")
    void anExtensionIsRefusedWithTheLongestPossibleOne() {
        pool(2, "PT90M");
        JsonNode running = own(8, "2026-11-02T00:00", "2026-11-03T00:00");
        broker.walkTo("2026-11-02T06:00:00+08:00");
        JsonNode other = own(8, "2026-11-02T12:00", "2026-11-12T00:00"); // On the other machine.
        JsonNode next = own(8, "2026-11-05T00:00", "2026-11-07T00:00");
        assertThat(nodes(broker.reservation(next))).isEqualTo(nodes(broker.reservation(running)));
        broker.cancel(other); // Now that machine is free, and running work is not moved there.
        JsonNode before = broker.reservation(running);

        Answer refused = broker.change(running, end("2026-11-06T00:00"));

        assertThat(refused.status()).isEqualTo(409);
        assertThat(code(refused)).isEqualTo("change_refused");
        assertThat(refused.body().get("longestEnd").asText()).isEqualTo("2026-11-04T22:00:00+08:00");
        assertThat(refused.body().get("detail").asText()).contains("2026-11-04T22:00:00+08:00");
        assertThat(refused.body().get("detailZh").asText()).contains("2026-11-04T22:00:00+08:00");
        assertThat(refused.body().get("conflicts").get(0).get("reservation")).isEqualTo(next.get("id"));
        assertThat(refused.body().get("freeWindows")).isNotEmpty();
        assertUnchanged(running, before);

        Answer extended = broker.change(running, end("2026-11-04T22:00"));
        assertThat(extended.status()).as("%s", extended.body()).isEqualTo(200);
        assertThat(nodes(extended.body())).isEqualTo(nodes(before));
        Answer none = broker.change(running, end("2026-11-04T23:00"));
        assertThat(none.body().get("longestEnd").isNull()).isTrue();
    }

    @Test
    void anExtensionNeedsAKeyAndOneKeyExtendsOnce() {
        pool(1, "PT0S");
        JsonNode booked = own(8, "2026-11-02T00:00", "2026-11-03T00:00");
        String path = "/v1/reservations/" + booked.get("id").asText();
        String version = "\"" + booked.get("version").asLong() + "\"";
        String key = UUID.randomUUID().toString();

        assertThat(code(broker.call("PATCH", path, end("2026-11-04T00:00"), "If-Match", version)))
                .isEqualTo("idempotency_key_missing");
        assertThat(code(broker.call("PATCH", path, "{\"count\":9}", "If-Match", version)))
                .isEqualTo("idempotency_key_missing");
        Answer once = broker.call("PATCH", path, end("2026-11-04T00:00"), "If-Match", version, "Idempotency-Key", key);
        Answer again = broker.call("PATCH", path, end("2026-11-04T00:00"), "If-Match", version, "Idempotency-Key", key);

        assertThat(once.status()).as("%s", once.body()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(once.body());
        assertThat(broker.call("PATCH", path, "{\"title\":\"shorter\"}").status())
                .isEqualTo(428);
        assertThat(broker.change(booked, 1, end("2026-11-05T00:00")).status()).isEqualTo(412);
    }

    @Test
    void anEarlierEndFreesWhatComesAfterAndWhoWaitsInLineGetsIt() {
        pool(1, "PT0S");
        JsonNode running = own(8, "2026-11-02T00:00", "2026-11-10T00:00");
        broker.walkTo("2026-11-02T06:00:00+08:00");
        Answer waiting = broker.book("""
                {"gpu":{"model":"A100","count":8},"start":"2026-11-04T00:00:00+08:00","duration":"P1D",
                 "constraints":{"platforms":["pool"]},"onUnavailable":"queue"}""");
        assertThat(waiting.body().get("state").asText()).isEqualTo("queued");

        Answer shorter = broker.change(running, end("2026-11-04T00:00"));
        assertThat(shorter.status()).as("%s", shorter.body()).isEqualTo(200);

        broker.walkTo("2026-11-02T06:10:00+08:00");
        assertThat(state(waiting.body())).isEqualTo("confirmed");
        broker.walkTo("2026-11-04T00:10:00+08:00");
        assertThat(state(running)).isEqualTo("completed");
        assertThat(state(waiting.body())).isEqualTo("active");
    }

    @Test
    void whatHasNotBegunMayGetOtherMachinesForItsNewEnd() {
        pool(2, "PT0S");
        JsonNode booked = own(8, "2026-11-10T00:00", "2026-11-12T00:00");
        JsonNode other = own(8, "2026-11-10T00:00", "2026-11-11T00:00");
        String first = nodes(booked).get(0);
        own(8, "2026-11-12T00:00", "2026-11-20T00:00");
        own(8, "2026-11-14T00:00", "2026-11-20T00:00");
        assertThat(nodes(other).get(0)).isNotEqualTo(first);

        broker.cancel(other);
        Answer extended = broker.change(booked, end("2026-11-14T00:00"));

        assertThat(extended.status()).as("%s", extended.body()).isEqualTo(200);
        assertThat(nodes(extended.body())).hasSize(1);
    }

    // ---- the number of GPUs in a pool ----------------------------------------------------------------------

    @Test
    void theNumberOfGpusOfRunningWorkChangesOnItsOwnMachines() {
        pool(2, "PT0S");
        JsonNode running = own(2, "2026-11-02T00:00", "2026-11-05T00:00");
        broker.walkTo("2026-11-02T06:00:00+08:00");

        Answer six = broker.change(running, "{\"count\":6}");
        assertThat(six.status()).as("%s", six.body()).isEqualTo(200);
        assertThat(six.body().get("request").get("gpu").get("count").asInt()).isEqualTo(6);
        assertThat(six.body().get("assignment").get("gpu").get("count").asInt()).isEqualTo(6);
        assertThat(nodes(six.body())).containsExactly("lab-1[0,1,2,3,4,5]");

        JsonNode beside = own(2, "2026-11-03T00:00", "2026-11-04T00:00");
        assertThat(nodes(beside)).containsExactly("lab-1[6,7]");
        JsonNode before = broker.reservation(running);
        Answer refused = broker.change(running, "{\"count\":8}");
        assertThat(code(refused)).isEqualTo("change_refused");
        assertThat(refused.body().get("conflicts").get(0).get("reservation")).isEqualTo(beside.get("id"));
        assertUnchanged(running, before);
        assertThat(code(broker.change(running, "{\"count\":12}"))).isEqualTo("change_refused");
        assertUnchanged(running, before);

        assertThat(broker.cancel(beside).status()).isIn(200, 202);
        Answer sixteen = broker.change(running, "{\"count\":16}");
        assertThat(nodes(sixteen.body())).containsExactly("lab-1[0,1,2,3,4,5,6,7]", "lab-2[0,1,2,3,4,5,6,7]");
        Answer one = broker.change(running, "{\"count\":1,\"end\":\"2026-11-04T00:00:00+08:00\"}");
        assertThat(nodes(one.body())).containsExactly("lab-1[0]");
        assertThat(own(8, "2026-11-03T00:00", "2026-11-09T00:00").get("state").asText())
                .isEqualTo("confirmed");
    }

    @Test
    void aBookingThatHasNotBegunIsMovedAndResizedAtOnce() {
        pool(1, "PT0S");
        JsonNode booked = own(4, "2026-11-10T00:00", "2026-11-12T00:00");
        own(8, "2026-11-12T00:00", "2026-11-14T00:00");

        JsonNode before = broker.reservation(booked);
        Answer refused = broker.change(booked, "{\"start\":\"2026-11-11T00:00:00+08:00\"}");
        assertThat(code(refused)).isEqualTo("change_refused");
        assertThat(refused.body().get("freeWindows").get(0).get("start").asText())
                .isEqualTo("2026-11-14T00:00:00+08:00");
        assertUnchanged(booked, before);

        Answer moved = broker.change(booked, "{\"start\":\"2026-11-09T00:00:00+08:00\",\"count\":8}");
        assertThat(moved.status()).as("%s", moved.body()).isEqualTo(200);
        assertThat(moved.body().get("request").get("end").asText()).isEqualTo("2026-11-11T00:00:00+08:00");
        assertThat(moved.body().get("nextAction").get("at").asText()).isEqualTo("2026-11-09T00:00:00+08:00");
        broker.walkTo("2026-11-09T00:10:00+08:00");
        assertThat(state(booked)).isEqualTo("active");

        JsonNode running = broker.reservation(booked);
        Answer late = broker.change(booked, "{\"start\":\"2026-11-09T12:00:00+08:00\"}");
        assertThat(code(late)).isEqualTo("change_refused");
        assertThat(code(broker.change(booked, "{\"start\":\"2026-11-08T00:00:00+08:00\"}")))
                .isEqualTo("in_the_past");
        assertUnchanged(booked, running);
    }

    @Test
    void changesAtTheSameMomentNeverGiveAGpuToTwo() {
        pool(1, "PT0S");
        JsonNode one = own(4, "2026-11-10T00:00", "2026-11-12T00:00");
        JsonNode two = own(4, "2026-11-10T00:00", "2026-11-12T00:00");
        JsonNode three = own(8, "2026-11-20T00:00", "2026-11-22T00:00");

        List<Answer> answers = IntStream.range(0, 12)
                .parallel()
                .mapToObj(each -> switch (each % 3) {
                    case 0 -> broker.change(one, end("2026-11-1" + (3 + each / 3) + "T00:00"));
                    case 1 -> broker.change(two, "{\"count\":" + (5 + each / 3) + "}");
                    default -> broker.change(three, "{\"start\":\"2026-11-1" + (1 + each / 3) + "T00:00:00+08:00\"}");
                })
                .toList();

        assertThat(answers).extracting(Answer::status).containsOnly(200, 409, 412);
        assertThat(answers).extracting(Answer::status).contains(200);
        List<JsonNode> after = List.of(broker.reservation(one), broker.reservation(two), broker.reservation(three));
        for (JsonNode each : after) {
            for (JsonNode other : after) {
                assertThat(each == other || !shareAGpu(each, other))
                        .as("%s and %s", each, other)
                        .isTrue();
            }
        }
    }

    private static boolean shareAGpu(JsonNode one, JsonNode other) {
        JsonNode asked = one.get("request");
        JsonNode beside = other.get("request");
        boolean together = asked.get("start")
                                .asText()
                                .compareTo(beside.get("end").asText())
                        < 0
                && beside.get("start").asText().compareTo(asked.get("end").asText()) < 0;
        List<Integer> gpus = indexes(one);
        return together && indexes(other).stream().anyMatch(gpus::contains);
    }

    private static List<Integer> indexes(JsonNode reservation) {
        return StreamSupport.stream(reservation.get("assignment").get("nodes").spliterator(), false)
                .flatMap(node -> StreamSupport.stream(node.get("gpus").spliterator(), false))
                .map(JsonNode::asInt)
                .toList();
    }

    // ---- waiting -------------------------------------------------------------------------------------------

    @Test
    void whatIsNotBoughtYetIsPlannedAfreshForItsNewWindowAndNumber() {
        JsonNode booked = bought(8, "2026-11-20T00:00", "2026-11-22T00:00", "");
        assertThat(booked.get("state").asText()).isEqualTo("queued");
        BigDecimal total =
                new BigDecimal(booked.get("quote").get("total").get("amount").asText());

        Answer changed = broker.change(booked, "{\"start\":\"2026-11-10T00:00:00+08:00\",\"count\":16}");

        assertThat(changed.status()).as("%s", changed.body()).isEqualTo(200);
        assertThat(changed.body().get("state").asText()).isEqualTo("queued");
        assertThat(changed.body().get("nextAction").get("what").asText()).isEqualTo("order");
        assertThat(changed.body().get("nextAction").get("at").asText()).isEqualTo("2026-11-10T00:00:00+08:00");
        assertThat(new BigDecimal(
                        changed.body().get("quote").get("total").get("amount").asText()))
                .isEqualByComparingTo(total.multiply(BigDecimal.valueOf(2)));
        broker.walkTo("2026-11-10T00:30:00+08:00");
        assertThat(state(booked)).isEqualTo("active");
        assertThat(broker.machinesLeft()).isEqualTo(2);
        broker.walkTo("2026-11-12T01:00:00+08:00");
        assertThat(state(booked)).isEqualTo("completed");
        assertThat(broker.machinesLeft()).isZero();
    }

    // ---- extending what was bought -------------------------------------------------------------------------

    @Test
    @DisplayName("Q-05: an extension of a bought machine costs its added hours, and the machine outlives its first end")
    void anExtensionOfABoughtMachineIsPricedForTheAddedHours() {
        JsonNode booked = bought(8, "2026-11-02T00:00", "2026-11-04T00:00", "");
        broker.walkTo("2026-11-02T01:00:00+08:00");
        JsonNode before = broker.reservation(booked);
        BigDecimal paid =
                new BigDecimal(before.get("quote").get("total").get("amount").asText());

        Answer extended = broker.change(booked, end("2026-11-05T00:00"));

        assertThat(extended.status()).as("%s", extended.body()).isEqualTo(200);
        JsonNode quote = extended.body().get("quote");
        assertThat(new BigDecimal(quote.get("total").get("amount").asText()))
                .isEqualByComparingTo(paid.multiply(new BigDecimal("1.5")));
        JsonNode lines = quote.get("lines");
        JsonNode last = lines.get(lines.size() - 1);
        assertThat(last.get("description").asText()).startsWith("extension");
        assertThat(extended.body().get("assignment").get("window").get("end").asText())
                .isEqualTo("2026-11-05T00:00:00+08:00");
        assertThat(broker.reasons(booked)).last().asString().startsWith("extended by its owner; the added hours cost");
        broker.walkTo("2026-11-04T06:00:00+08:00");
        assertThat(state(booked)).isEqualTo("active");
        assertThat(broker.machinesLeft()).isEqualTo(1);
        broker.walkTo("2026-11-05T01:30:00+08:00");
        assertThat(state(booked)).isEqualTo("completed");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void hoursThatAreGivenBackLowerTheTotalAndTheCapSoThatNoDearerOnesCanBeBoughtForThem() {
        JsonNode booked = bought(8, "2026-11-02T00:00", "2026-11-04T00:00", "");
        broker.walkTo("2026-11-02T01:00:00+08:00");
        JsonNode agreed = broker.reservation(booked).get("quote");

        for (int round = 0; round < 3; round++) {
            assertThat(broker.change(booked, end("2026-11-03T00:00")).status()).isEqualTo(200);
            JsonNode half = broker.reservation(booked).get("quote");
            assertThat(amount(half.get("total")))
                    .isEqualByComparingTo(amount(agreed.get("total")).divide(new BigDecimal(2)));
            assertThat(amount(half.get("cap"))).isLessThan(amount(agreed.get("cap")));
            assertThat(broker.change(booked, end("2026-11-04T00:00")).status()).isEqualTo(200);
        }

        JsonNode again = broker.reservation(booked).get("quote");
        assertThat(amount(again.get("total"))).isEqualByComparingTo(amount(agreed.get("total")));
        assertThat(amount(again.get("cap")))
                .isLessThanOrEqualTo(amount(agreed.get("cap")).add(BigDecimal.ONE));
        broker.price("aliyun", "A100", 8, "320.00");
        assertThat(code(broker.change(booked, end("2026-11-05T00:00")))).isEqualTo("price_changed");
    }

    private static BigDecimal amount(JsonNode money) {
        return new BigDecimal(money.get("amount").asText());
    }

    @Test
    void anExtensionAboveTheAgreedRateOrTheLimitChangesNothingHereAndThere() {
        JsonNode booked = bought(8, "2026-11-02T00:00", "2026-11-04T00:00", "");
        broker.walkTo("2026-11-02T01:00:00+08:00");
        JsonNode before = broker.reservation(booked);
        broker.price("aliyun", "A100", 8, "9999.00");

        Answer refused = broker.change(booked, end("2026-11-05T00:00"));

        assertThat(refused.status()).isEqualTo(409);
        assertThat(code(refused)).isEqualTo("price_changed");
        assertThat(new BigDecimal(
                        refused.body().get("added").get("total").get("amount").asText()))
                .isGreaterThan(
                        new BigDecimal(refused.body().get("limit").get("amount").asText()));
        assertUnchanged(booked, before);
        broker.walkTo("2026-11-04T01:30:00+08:00");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void whenBuyingIsPausedNothingIsExtendedAndThePlatformsOwnEndIsMovedBack() {
        JsonNode booked = bought(8, "2026-11-02T00:00", "2026-11-04T00:00", "");
        broker.walkTo("2026-11-02T01:00:00+08:00");
        JsonNode before = broker.reservation(booked);
        String own = platformsOwnEnd();
        assertThat(own).as("an hour after the end, in UTC").startsWith("2026-11-03T17:00");
        String paused = "{\"reason\":\"month's end\"}";
        assertThat(broker.call("POST", "/v1/purchases/pause", paused).status()).isEqualTo(200);

        Answer refused = broker.change(booked, end("2026-11-05T00:00"));

        assertThat(code(refused)).isEqualTo("change_refused");
        assertThat(refused.body().get("detail").asText()).contains("paused");
        assertUnchanged(booked, before);
        assertThat(platformsOwnEnd()).isEqualTo(own);
        broker.walkTo("2026-11-04T02:00:00+08:00");
        assertThat(broker.machinesLeft()).isZero();
    }

    /** When aliyun would end its one machine by itself. */
    private String platformsOwnEnd() {
        return database.database()
                .pool()
                .query("SELECT substring(body FROM '\"autoReleaseAt\":\"([^\"]+)\"') AS own FROM sim.row"
                        + " WHERE platform = 'aliyun' AND body LIKE '%autoReleaseAt%'")
                .execute()
                .await()
                .iterator()
                .next()
                .getString("own");
    }

    @Test
    void aPeriodThatWasSoldAsAWholeIsKeptToItsEndAndNotExtendedBeyond() {
        broker.stock("aws", "H100", 8, 2);
        Answer booked = broker.book("""
                {"gpu":{"model":"H100","count":8},"start":"2026-11-05T00:00:00+08:00","duration":"P1D",
                 "constraints":{"platforms":["aws"]},"substitution":{"mode":"never"}}""");
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        broker.walkTo("2026-11-01T11:00:00+08:00");
        JsonNode before = broker.reservation(booked.body());
        assertThat(before.get("state").asText()).isEqualTo("confirmed");

        Answer refused = broker.change(booked.body(), end("2026-11-20T00:00"));

        assertThat(code(refused)).isEqualTo("change_refused");
        assertThat(refused.body().get("detail").asText()).contains("aws");
        assertUnchanged(booked.body(), before);
        String longest = refused.body().get("longestEnd").asText();
        assertThat(longest).startsWith("2026-11-06T");
        Answer kept = broker.change(booked.body(), "{\"end\":\"" + longest + "\"}");
        assertThat(kept.status()).as("%s", kept.body()).isEqualTo(200);
        assertThat(kept.body().get("quote").get("total"))
                .isEqualTo(before.get("quote").get("total"));
        assertThat(code(broker.change(booked.body(), "{\"start\":\"2026-11-06T00:00:00+08:00\"}")))
                .isEqualTo("change_refused");
    }

    // ---- more and fewer machines of a platform --------------------------------------------------------------

    @Test
    @DisplayName("L-08: 8 grows to 16 only when the platform's machine runs; the count is 8 until then")
    void theCountOfBoughtMachinesChangesOnDelivery() {
        JsonNode booked = bought(8, "2026-11-02T00:00", "2026-11-04T00:00", "");
        broker.walkTo("2026-11-02T01:00:00+08:00");

        Answer taken = broker.change(booked, "{\"count\":16}");

        assertThat(taken.status()).as("%s", taken.body()).isEqualTo(202);
        assertThat(taken.body().get("pendingChange").get("count").asInt()).isEqualTo(16);
        assertThat(taken.body().get("request").get("gpu").get("count").asInt()).isEqualTo(8);
        assertThat(code(broker.change(booked, end("2026-11-05T00:00")))).isEqualTo("wrong_state");

        broker.walkTo("2026-11-02T01:30:00+08:00");
        JsonNode grown = broker.reservation(booked);
        assertThat(grown.get("state").asText()).isEqualTo("active");
        assertThat(grown.get("pendingChange").isNull()).isTrue();
        assertThat(grown.get("request").get("gpu").get("count").asInt()).isEqualTo(16);
        assertThat(grown.get("assignment").get("nodes")).hasSize(2);
        assertThat(broker.machinesLeft()).isEqualTo(2);

        Answer fewer = broker.change(booked, "{\"count\":8}");
        assertThat(fewer.status()).as("%s", fewer.body()).isEqualTo(200);
        assertThat(fewer.body().get("assignment").get("nodes")).hasSize(1);
        broker.walkTo("2026-11-02T02:00:00+08:00");
        assertThat(broker.machinesLeft()).isEqualTo(1);
        assertThat(state(booked)).isEqualTo("active");

        assertThat(broker.change(booked, "{\"count\":24}").status()).isEqualTo(202);
        broker.walkTo("2026-11-02T02:30:00+08:00");
        assertThat(broker.reservation(booked).get("assignment").get("nodes")).hasSize(3);
        assertThat(broker.machinesLeft()).as("a second growth buys anew").isEqualTo(3);

        broker.walkTo("2026-11-04T01:30:00+08:00");
        assertThat(state(booked)).isEqualTo("completed");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void moreMachinesWithinAnHourThatHasBegunAreAgreedToAtTheRateOfTheWholeHour() {
        JsonNode booked = bought(8, "2026-11-02T00:00", "2026-11-02T04:00", "");
        BigDecimal fourHours = amount(booked.get("quote").get("total"));
        broker.walkTo("2026-11-02T01:35:00+08:00");

        Answer taken = broker.change(booked, "{\"count\":16}");

        assertThat(taken.status()).as("%s", taken.body()).isEqualTo(202);
        broker.walkTo("2026-11-02T02:30:00+08:00");
        JsonNode grown = broker.reservation(booked);
        assertThat(grown.get("request").get("gpu").get("count").asInt()).isEqualTo(16);
        assertThat(amount(grown.get("quote").get("total")))
                .as("three hours more of a machine, the begun one among them")
                .isEqualByComparingTo(fourHours.multiply(new BigDecimal("1.75")));
    }

    @Test
    @DisplayName("L-08: when the platform gives no more, it is still 8, active, and no event says 16")
    void aGrowthThatFailsLeavesTheOldCount() {
        JsonNode booked = bought(8, "2026-11-02T00:00", "2026-11-04T00:00", "");
        broker.walkTo("2026-11-02T01:00:00+08:00");
        broker.stock("aliyun", "A100", 8, 0);

        Answer taken = broker.change(booked, "{\"count\":16}");
        assertThat(taken.status()).as("%s", taken.body()).isEqualTo(202);
        broker.walkTo("2026-11-02T02:30:00+08:00");

        JsonNode after = broker.reservation(booked);
        assertThat(after.get("state").asText()).isEqualTo("active");
        assertThat(after.get("pendingChange").isNull()).isTrue();
        assertThat(after.get("request").get("gpu").get("count").asInt()).isEqualTo(8);
        assertThat(broker.reasons(booked))
                .last()
                .asString()
                .startsWith("no 16 GPUs: ")
                .endsWith("it keeps 8");
        broker.get("/v1/reservations/" + booked.get("id").asText() + "/events")
                .get("items")
                .forEach(event ->
                        assertThat(event.get("after").path("count").asInt(8)).isEqualTo(8));
        assertThat(broker.machinesLeft()).isEqualTo(1);
        broker.walkTo("2026-11-04T01:30:00+08:00");
        assertThat(state(booked)).isEqualTo("completed");
    }

    // ---- cancelling ----------------------------------------------------------------------------------------

    @Test
    @DisplayName(
            "L-10, L-11: cancelled while the order is unsettled, what turns up is released at once; a second cancel says the same")
    void aCancelWhileOrderingReleasesWhatTurnsUp() {
        broker.fault("aliyun", "claim", "late", 120_000);
        JsonNode booked = bought(8, "2026-11-02T00:00", "2026-11-04T00:00", "");
        broker.walkTo("2026-11-02T00:00:30+08:00");
        assertThat(state(booked)).isEqualTo("ordering");

        Answer first = broker.cancel(booked);
        if (code(first).equals("cancellation_quote_required")) {
            first = broker.call(
                    "POST",
                    "/v1/reservations/" + booked.get("id").asText() + "/cancel",
                    "{\"quoteId\":" + first.body().get("quote").get("id") + "}");
        }
        assertThat(first.status()).as("%s", first.body()).isEqualTo(202);
        assertThat(first.body().get("state").asText()).isEqualTo("releasing");
        assertThat(broker.cancel(booked).status()).isEqualTo(202);

        broker.walkTo("2026-11-02T01:00:00+08:00");
        assertThat(state(booked)).isEqualTo("cancelled");
        assertThat(broker.machinesLeft()).isZero();
        Answer again = broker.cancel(booked);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(broker.reservation(booked));
    }

    @Test
    @DisplayName("L-13: what has failed can be dismissed by its owner at once, and its capacity is free")
    void whatHasFailedHoldsNothing() {
        pool(1, "PT0S");
        JsonNode failed = own(8, "2026-11-02T00:00", "2026-11-02T06:00");
        Answer out = broker.call(
                "POST",
                "/v1/pools/lab/outages",
                "{\"node\":\"lab-1\",\"reason\":\"dead power supply\",\"end\":\"2026-11-02T06:00:00+08:00\"}");
        assertThat(out.status()).as("%s", out.body()).isEqualTo(201);
        broker.walkTo("2026-11-02T07:00:00+08:00");
        assertThat(state(failed)).isEqualTo("failed");

        Answer dismissed = broker.cancel(failed);

        assertThat(dismissed.status()).isEqualTo(200);
        assertThat(dismissed.body().get("state").asText()).isEqualTo("failed");
        assertThat(own(8, "2026-11-02T08:00", "2026-11-03T00:00").get("state").asText())
                .isEqualTo("confirmed");
    }

    @Test
    @DisplayName("L-14: a cancel that meets the start leaves no half state and no machine")
    void aCancelThatMeetsTheStartLeavesNothing() {
        JsonNode booked = bought(8, "2026-11-02T00:00", "2026-11-04T00:00", "");
        broker.walkTo("2026-11-02T00:00:05+08:00");
        assertThat(state(booked)).isIn("ordering", "confirmed", "provisioning", "active");

        assertThat(broker.cancel(booked).status()).isIn(200, 202);

        broker.walkTo("2026-11-02T01:00:00+08:00");
        assertThat(state(booked)).isEqualTo("cancelled");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    @DisplayName("O-16: a machine that was deleted behind the broker's back counts as given back at the end")
    void aMachineDeletedByItsUserDoesNotHoldUpTheEnd() {
        JsonNode booked = bought(8, "2026-11-02T00:00", "2026-11-04T00:00", "");
        broker.walkTo("2026-11-02T01:00:00+08:00");
        broker.fault("aliyun", "release", "lose_reply", 0); // Gone, and the broker was not told.

        assertThat(broker.cancel(booked).status()).isEqualTo(202);

        broker.walkTo("2026-11-02T02:00:00+08:00");
        assertThat(state(booked)).isEqualTo("cancelled");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    @DisplayName("L-16: nobody is a no-show where no use can be seen")
    void nobodyIsANoShowWithoutASignalOfUse() {
        pool(1, "PT0S");
        JsonNode unused = own(8, "2026-11-02T00:00", "2026-11-03T00:00");

        broker.walkTo("2026-11-02T23:00:00+08:00");
        assertThat(state(unused)).isEqualTo("active");

        broker.walkTo("2026-11-03T00:10:00+08:00");
        assertThat(state(unused)).isEqualTo("completed");
    }

    // ---- outages -------------------------------------------------------------------------------------------

    private Answer outage(String body) {
        Answer declared = broker.call("POST", "/v1/pools/lab/outages", body);
        assertThat(declared.status()).as("%s", declared.body()).isEqualTo(201);
        return declared;
    }

    @Test
    void anOutageMovesWhatHasNotBegunAndTellsWhoRunsThere() {
        pool(2, "PT0S");
        JsonNode running = own(4, "2026-11-02T00:00", "2026-11-06T00:00");
        broker.walkTo("2026-11-02T06:00:00+08:00");
        JsonNode later = own(4, "2026-11-03T00:00", "2026-11-04T00:00");
        assertThat(nodes(later)).containsExactly("lab-1[4,5,6,7]");

        JsonNode declared = outage(
                        "{\"node\":\"lab-1\",\"reason\":\"fan is loud\",\"end\":\"2026-11-05T00:00:00+08:00\"}")
                .body();

        assertThat(declared.get("gpus")).hasSize(8);
        assertThat(declared.get("reservations"))
                .extracting(each -> each.get("effect").asText())
                .containsExactlyInAnyOrder("degraded", "moved");
        JsonNode stays = broker.reservation(running);
        assertThat(nodes(stays)).containsExactly("lab-1[0,1,2,3]");
        assertThat(stays.get("health").toString()).contains("degraded");
        assertThat(broker.reasons(running)).last().asString().contains("fan is loud");
        JsonNode moved = broker.reservation(later);
        assertThat(nodes(moved)).containsExactly("lab-2[0,1,2,3]");
        assertThat(moved.get("health")).isEmpty();
        assertThat(broker.reasons(later)).last().asString().contains("it has other GPUs of pool lab");

        broker.walkTo("2026-11-05T00:10:00+08:00");
        assertThat(broker.reservation(running).get("health")).isEmpty();
        assertThat(broker.get("/v1/pools/lab/outages").get("items")).isEmpty();
        assertThat(broker.get("/v1/pools/lab/outages?since=2026-11-01").get("items"))
                .hasSize(1);
    }

    @Test
    void whatCannotBeMovedIsBlockedUntilSomethingIsFreeAndGetsItBeforeTheLine() {
        pool(2, "PT0S");
        JsonNode running = own(8, "2026-11-02T00:00", "2026-11-09T00:00");
        broker.walkTo("2026-11-02T06:00:00+08:00");
        JsonNode later = own(8, "2026-11-03T00:00", "2026-11-08T00:00");
        Answer waiting = broker.book("""
                {"gpu":{"model":"A100","count":8},"start":"2026-11-04T00:00:00+08:00","duration":"P1D",
                 "constraints":{"platforms":["pool"]},"onUnavailable":"queue"}""");
        String machine = broker.reservation(later)
                .get("assignment")
                .get("nodes")
                .get(0)
                .get("name")
                .asText();

        outage("{\"node\":\"" + machine + "\",\"reason\":\"no power\"}");

        JsonNode blocked = broker.reservation(later);
        assertThat(blocked.get("state").asText()).isEqualTo("confirmed");
        assertThat(blocked.get("health").toString()).contains("blocked");
        JsonNode blocker = blocked.get("blockers").get(0);
        assertThat(blocker.get("what").asText()).isEqualTo("outage");
        assertThat(blocker.get("fixBy").asText()).isEqualTo("2026-11-03T00:00:00+08:00");
        assertThat(blocker.get("how").asText()).contains(machine).contains("no power");
        assertThat(blocker.get("howZh").asText()).contains(machine);

        broker.walkTo("2026-11-03T00:10:00+08:00");
        assertThat(state(later)).isEqualTo("provisioning");
        assertThat(broker.reservation(later).get("health").toString()).contains("delayed");

        assertThat(broker.cancel(running).status()).isIn(200, 202);
        broker.walkTo("2026-11-03T00:20:00+08:00");
        JsonNode started = broker.reservation(later);
        assertThat(started.get("state").asText()).isEqualTo("active");
        assertThat(started.get("health")).isEmpty();
        assertThat(started.get("blockers")).isEmpty();
        assertThat(nodes(started)).isEqualTo(nodes(broker.reservation(running)));
        assertThat(state(waiting.body())).isEqualTo("queued");
    }

    @Test
    void whoWasPromisedAPlaceIsServedBeforeTheLineHoweverLongItTakes() {
        pool(2, "PT0S");
        JsonNode before = own(8, "2026-11-20T00:00", "2026-11-22T00:00");
        JsonNode kept = own(8, "2026-11-20T00:00", "2026-11-22T00:00");
        JsonNode six = queued(6, "2026-11-20T00:00", "2026-11-22T00:00");
        JsonNode two = queued(2, "2026-11-20T00:00", "2026-11-22T00:00");
        assertThat(broker.cancel(before).status()).isEqualTo(200);
        broker.walkTo("2026-11-01T11:00:00+08:00");
        assertThat(state(six)).isEqualTo("confirmed");
        assertThat(state(two)).isEqualTo("confirmed");
        JsonNode inLine = queued(4, "2026-11-20T00:00", "2026-11-22T00:00");
        outage("{\"node\":\"lab-1\",\"reason\":\"no power\"}");

        broker.walkTo("2026-11-14T00:10:00+08:00"); // What is looked at ahead of a start does not forget the outage.
        assertThat(broker.reservation(six).get("health").toString()).contains("blocked");
        assertThat(broker.reservation(two).get("health").toString()).contains("blocked");
        assertThat(broker.cancel(kept).status()).isEqualTo(200);
        broker.walkTo("2026-11-14T00:20:00+08:00");

        assertThat(nodes(broker.reservation(six))).containsExactly("lab-2[0,1,2,3,4,5]");
        assertThat(nodes(broker.reservation(two))).containsExactly("lab-2[6,7]");
        assertThat(broker.reservation(six).get("blockers")).isEmpty();
        assertThat(state(inLine)).isEqualTo("queued");
    }

    @Test
    void roomThatIsTooSmallForWhoWasPromisedAPlaceIsKeptForThem() {
        pool(2, "PT0S");
        own(4, "2026-11-20T00:00", "2026-11-22T00:00");
        JsonNode promised = own(8, "2026-11-20T00:00", "2026-11-22T00:00");
        String machine = nodes(promised).get(0).substring(0, 5);
        outage("{\"node\":\"" + machine + "\",\"reason\":\"no power\"}");
        assertThat(broker.reservation(promised).get("health").toString()).contains("blocked");

        Answer refused = broker.book("""
                {"gpu":{"model":"A100","count":4},"start":"2026-11-20T00:00:00+08:00","duration":"P1D",
                 "constraints":{"platforms":["pool"]}}""");

        assertThat(refused.status()).as("%s", refused.body()).isEqualTo(409);
        assertThat(refused.body().get("explanation").toString()).contains("kept for somebody");
        assertThat(own(4, "2026-11-23T00:00", "2026-11-24T00:00").get("state").asText())
                .as("another time is free for all")
                .isEqualTo("confirmed");
    }

    private JsonNode queued(int gpus, String start, String end) {
        Answer booked = broker.book("""
                {"gpu":{"model":"A100","count":%d},"start":"%s:00+08:00","end":"%s:00+08:00",
                 "constraints":{"platforms":["pool"]},"onUnavailable":"queue"}""".formatted(gpus, start, end));
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        assertThat(booked.body().get("state").asText()).isEqualTo("queued");
        return booked.body();
    }

    @Test
    void anOutageThatIsEndedGivesTheMachineBackToWhoHoldsIt() {
        pool(1, "PT0S");
        JsonNode later = own(8, "2026-11-03T00:00", "2026-11-08T00:00");
        JsonNode out = outage(
                        "{\"node\":\"lab-1\",\"gpus\":[0,7],\"start\":\"2026-11-04T00:00:00+08:00\",\"reason\":\"two bad cards\"}")
                .body();
        assertThat(broker.reservation(later).get("blockers").get(0).get("fixBy").asText())
                .isEqualTo("2026-11-04T00:00:00+08:00");
        broker.walkTo("2026-11-03T00:10:00+08:00");
        assertThat(state(later)).as("the outage comes a day later").isEqualTo("active");
        broker.walkTo("2026-11-04T00:10:00+08:00");
        assertThat(broker.reservation(later).get("health").toString()).isEqualTo("[\"degraded\"]");
        Answer twice = broker.call("POST", "/v1/pools/lab/outages", "{\"node\":\"lab-1\",\"reason\":\"again\"}");
        assertThat(code(twice)).isEqualTo("outage_overlaps");

        String path = "/v1/pools/lab/outages/" + out.get("id").asText();
        Answer ended = broker.call("DELETE", path, null);

        assertThat(ended.status()).as("%s", ended.body()).isEqualTo(200);
        assertThat(ended.body().get("reservations").get(0).get("effect").asText())
                .isEqualTo("restored");
        assertThat(broker.reservation(later).get("health")).isEmpty();
        Answer again = broker.call("DELETE", path, null);
        assertThat(again.body().get("endedAt")).isEqualTo(ended.body().get("endedAt"));
    }

    @Test
    void nothingIsBookedWhereAMachineIsOutOfOrder() {
        pool(1, "PT0S");
        outage("{\"node\":\"lab-1\",\"gpus\":[3],\"reason\":\"memory errors\",\"end\":\"2026-11-10T00:00:00+08:00\"}");

        Answer refused = broker.book("""
                {"gpu":{"model":"A100","count":8},"start":"2026-11-09T00:00:00+08:00","duration":"P1D",
                 "constraints":{"platforms":["pool"]}}""");

        assertThat(code(refused)).isEqualTo("no_capacity");
        JsonNode conflict = refused.body().get("conflicts").get(0);
        assertThat(conflict.has("reservation")).isFalse();
        assertThat(conflict.get("gpus").toString()).isEqualTo("[3]");
        assertThat(refused.body().get("freeWindows").get(0).get("start").asText())
                .isEqualTo("2026-11-10T00:00:00+08:00");
        assertThat(nodes(own(4, "2026-11-09T00:00", "2026-11-10T00:00"))).containsExactly("lab-1[4,5,6,7]");
        Answer wrong = broker.call("POST", "/v1/pools/lab/outages", "{\"node\":\"lab-9\",\"reason\":\"?\"}");
        assertThat(code(wrong)).isEqualTo("invalid_request");
    }

    @Test
    @DisplayName("L-17: a pool that holds future reservations is not deleted; the refusal lists them")
    void aPoolWithFutureReservationsIsNotDeleted() {
        pool(1, "PT0S");
        JsonNode later = own(8, "2026-11-20T00:00", "2026-11-22T00:00");
        String id = broker.get("/v1/pools").get("items").get(0).get("id").asText();

        Answer refused = broker.call("DELETE", "/v1/pools/" + id, null);

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.body().get("conflicts").get(0).get("reservation")).isEqualTo(later.get("id"));
        assertThat(state(later)).isEqualTo("confirmed");
        broker.cancel(later);
        assertThat(broker.call("DELETE", "/v1/pools/" + id, null).status()).isEqualTo(204);
    }
}
