package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The line of those who wait for own capacity: cases W-01, W-02, W-07. */
class WaitlistScenarioTest {
    @TempDir
    Path data;

    private TestDatabase database;
    private RunningBroker broker;

    private void start(String policy) throws Exception {
        Files.writeString(data.resolve("gpu-broker.yaml"), "policy: {" + policy + "}\n");
        database = TestDatabase.create();
        broker = new RunningBroker(database, data);
        broker.walkTo("2026-11-01T10:00:00+08:00");
    }

    @AfterEach
    void stop() {
        broker.close();
        database.close();
    }

    private void pool(String name, String model, int nodes) {
        Answer made = broker.call(
                "POST",
                "/v1/pools",
                "{\"name\":\"%s\",\"model\":\"%s\",\"gpusPerNode\":8,\"nodes\":%d}".formatted(name, model, nodes));
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
    }

    private JsonNode book(String model, int count, String more) {
        Answer answer = broker.book("""
                {"gpu":{"model":"%s","count":%d},"start":"2026-11-20T00:00:00+08:00","duration":"P5D",
                 "constraints":{"platforms":["pool"]},"onUnavailable":"queue"%s}""".formatted(model, count, more));
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(201);
        return answer.body();
    }

    private void cancel(JsonNode booked) {
        assertThat(broker.call("POST", "/v1/reservations/" + booked.get("id").asText() + "/cancel", "{}")
                        .status())
                .isIn(200, 202);
        settle();
    }

    /** A walk of no length: what is due now has been done when it answers. */
    private void settle() {
        assertThat(broker.call("POST", "/v1/demo/clock", "{\"advance\":\"PT1S\"}")
                        .status())
                .isEqualTo(200);
    }

    private String state(JsonNode booked) {
        return broker.reservation(booked).get("state").asText();
    }

    @Test
    void bestEffortLetsTheSmallOneByAndTheBigOneKeepsItsPlaceUntilTheLimit() throws Exception {
        start("mostPasses: 1");
        pool("lab", "A100-SXM4-80GB", 2);
        JsonNode first = book("A100", 8, "");
        JsonNode second = book("A100", 8, "");
        JsonNode big = book("A100", 16, "");
        JsonNode small = book("A100", 8, "");
        assertThat(broker.reservation(big).get("waitlist").get("position").asInt())
                .isEqualTo(1);
        assertThat(broker.reservation(small).get("waitlist").get("position").asInt())
                .isEqualTo(2);

        cancel(first);
        assertThat(state(small)).isEqualTo("confirmed");
        assertThat(state(big)).isEqualTo("queued");
        assertThat(broker.reservation(big).get("waitlist").get("position").asInt())
                .isEqualTo(1);

        cancel(second);
        JsonNode newcomer = book("A100", 8, "");
        assertThat(newcomer.get("state").asText())
                .as("what the big one could use is kept now")
                .isEqualTo("queued");
        assertThat(newcomer.get("explanation").toString()).contains("waited longer");

        cancel(small);
        assertThat(state(big)).isEqualTo("confirmed");
        assertThat(state(newcomer)).isEqualTo("queued");
    }

    @Test
    void aStrictLineLetsNobodyBy() throws Exception {
        start("strictLine: true");
        pool("lab", "A100-SXM4-80GB", 2);
        JsonNode first = book("A100", 8, "");
        JsonNode second = book("A100", 8, "");
        JsonNode big = book("A100", 16, "");
        JsonNode small = book("A100", 8, "");

        cancel(first);
        assertThat(state(small)).isEqualTo("queued");
        cancel(second);

        assertThat(state(big)).isEqualTo("confirmed");
        assertThat(state(small)).isEqualTo("queued");
        cancel(big);
        assertThat(state(small)).isEqualTo("confirmed");
    }

    @Test
    void aPlaceHeldForAnAnswerGoesToTheNextAtOnceWhenTheAnswerIsNoOrDoesNotCome() throws Exception {
        start("mostPasses: 5");
        pool("gaming", "RTX4090", 1);
        String ask = ",\"substitution\":{\"mode\":\"ask\",\"models\":[\"RTX4090\"]}";
        pool("lab", "A100-SXM4-80GB", 1);
        JsonNode a100 = book("A100", 8, "");
        JsonNode held4090 = book("RTX4090", 8, "");
        JsonNode asked = book("A100", 8, ask);
        JsonNode askedToo = book("A100", 8, ask);
        JsonNode next = book("RTX4090", 8, "");
        assertThat(state(asked)).isEqualTo("queued");

        cancel(held4090);
        JsonNode offered = broker.reservation(asked);
        assertThat(offered.get("state").asText()).isEqualTo("offered");
        assertThat(offered.get("proposal").get("kind").asText()).isEqualTo("held_place");
        assertThat(state(askedToo)).as("the place is held for one only").isEqualTo("queued");
        assertThat(state(next)).isEqualTo("queued");

        assertThat(broker.call("POST", "/v1/reservations/" + asked.get("id").asText() + "/decline", "{}")
                        .status())
                .isEqualTo(200);
        settle();
        assertThat(state(asked)).isEqualTo("queued");
        assertThat(state(askedToo)).isEqualTo("offered");

        broker.walkTo("2026-11-01T15:00:00+08:00"); // Four hours are over.
        assertThat(state(askedToo)).isEqualTo("queued");
        assertThat(state(next)).isEqualTo("confirmed");
        assertThat(state(a100)).isEqualTo("confirmed");
    }

    @Test
    void anAcceptedHeldPlaceIsConfirmedWithTheStandIn() throws Exception {
        start("mostPasses: 5");
        pool("gaming", "RTX4090", 1);
        pool("lab", "A100-SXM4-80GB", 1);
        book("A100", 8, "");
        JsonNode held4090 = book("RTX4090", 8, "");
        JsonNode asked = book("A100", 8, ",\"substitution\":{\"mode\":\"ask\",\"models\":[\"RTX4090\"]}");
        cancel(held4090);

        Answer accepted = broker.call(
                "POST",
                "/v1/reservations/" + asked.get("id").asText() + "/accept",
                "{}",
                "Idempotency-Key",
                "yes-" + asked.get("id").asText());

        assertThat(accepted.status()).as("%s", accepted.body()).isEqualTo(200);
        assertThat(accepted.body().get("state").asText()).isEqualTo("confirmed");
        assertThat(accepted.body().get("substitution").get("status").asText()).isEqualTo("final");
        broker.walkTo("2026-11-26T00:00:00+08:00");
        assertThat(state(asked)).isEqualTo("completed");
    }

    @Test
    void twentyWhoBookAtOnceAreNotOfferedTheSameRoom() throws Exception {
        start("mostPasses: 50");
        pool("gaming", "RTX4090", 1);
        pool("lab", "A100-SXM4-80GB", 1);
        book("A100", 8, "");
        String ask = ",\"substitution\":{\"mode\":\"ask\",\"models\":[\"RTX4090\"]}";

        List<JsonNode> booked =
                IntStream.range(0, 20)
                        .mapToObj(i -> CompletableFuture.supplyAsync(() -> book("A100", 8, ask)))
                        .toList()
                        .stream()
                        .map(CompletableFuture::join)
                        .toList();

        List<JsonNode> offered = booked.stream()
                .filter(each -> each.get("state").asText().equals("offered"))
                .toList();
        assertThat(offered).hasSize(1);
        assertThat(offered.get(0).get("proposal").get("kind").asText()).isEqualTo("held_place");
        assertThat(booked)
                .filteredOn(each -> each.get("state").asText().equals("queued"))
                .hasSize(19);
        assertThat(book("RTX4090", 8, "").get("state").asText())
                .as("what is held is not given to anybody else")
                .isEqualTo("queued");
        assertThat(accept(offered.get(0)).get("state").asText()).isEqualTo("confirmed");
    }

    @Test
    void whatAPlatformSellsIsNotHeldAndTheProposalSaysSo() throws Exception {
        start("mostPasses: 5");
        broker.stock("aliyun", "A100", 8, 0);
        String body = """
                {"gpu":{"model":"A100","count":8},"start":"2026-11-05T00:00:00+08:00","duration":"P5D",
                 "constraints":{"platforms":["zhixingyun"]},"substitution":{"mode":"ask","models":["RTX4090"]}}""";

        JsonNode first = broker.book(body).body();
        JsonNode second = broker.book(body).body();

        assertThat(first.get("proposal").get("kind").asText()).isEqualTo("substitute");
        assertThat(first.get("proposal").get("detail").asText()).contains("not held");
        assertThat(first.get("proposal").get("detailZh").asText()).contains("不保留名额");
        assertThat(List.of(position(accept(second)), position(accept(first))))
                .as("both wait for the day of the purchase, one behind the other")
                .containsExactly(2, 1);
    }

    private static int position(JsonNode booked) {
        return booked.get("waitlist").get("position").asInt();
    }

    private JsonNode accept(JsonNode offered) {
        String id = offered.get("id").asText();
        Answer accepted =
                broker.call("POST", "/v1/reservations/" + id + "/accept", "{}", "Idempotency-Key", "yes-" + id);
        assertThat(accepted.status()).as("%s", accepted.body()).isEqualTo(200);
        return accepted.body();
    }
}
