package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the product promises, from outside: over HTTP, on real PostgreSQL, against simulators of four platforms. */
class BookingScenarioTest {
    private static final String FROM_THE_20TH = """
            {"gpu":{"model":"A100","count":8},"start":"2026-11-20T00:00:00+08:00","duration":"P5D",
             "substitution":{"mode":"%s"%s}}""";

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

    private static String asked(String mode) {
        return FROM_THE_20TH.formatted(mode, mode.equals("never") ? "" : ",\"models\":[\"RTX4090\"]");
    }

    private void noA100Anywhere() {
        broker.stock("aliyun", "A100", 8, 0);
        broker.stock("zhixingyun", "A100", 8, 0);
        broker.stock("aws", "A100", 8, 0);
    }

    @Test
    void theMissionSentenceIsBookedRunsAndIsGivenBack() {
        String english = "{\"phrase\":\"8×A100 for 5 days from the 20th\"}";
        String chinese = "{\"phrase\":\"8卡A100 从20号开始租5天\"}";
        assertThat(broker.call("POST", "/v1/interpretations", english).body().get("request"))
                .isEqualTo(broker.call("POST", "/v1/interpretations", chinese)
                        .body()
                        .get("request"));

        Answer booked = broker.book(english);
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        assertThat(booked.body().get("state").asText()).isEqualTo("queued");
        assertThat(booked.body().get("nextAction").get("what").asText()).isEqualTo("order");

        broker.walkTo("2026-11-20T00:30:00+08:00");
        assertThat(broker.reservation(booked.body()).get("state").asText()).isEqualTo("active");
        assertThat(broker.machinesLeft()).isEqualTo(1);

        broker.walkTo("2026-11-25T01:00:00+08:00");
        assertThat(broker.states(booked.body()))
                .containsExactly("queued", "ordering", "confirmed", "provisioning", "active", "releasing", "completed");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void aSoldOutModelIsReplacedAsTheRequestAllowsAndTakenAfterAllWhenItAppears() {
        noA100Anywhere();
        JsonNode auto = broker.book(asked("auto")).body();
        JsonNode never = broker.book(asked("never")).body();

        assertThat(auto.get("substitution").get("to").asText()).isEqualTo("RTX4090");
        assertThat(auto.get("substitution").get("status").asText()).isEqualTo("planned");
        assertThat(auto.get("substitution").get("basis").asText()).isEqualTo("estimated");
        assertThat(never.get("state").asText()).isEqualTo("queued");
        assertThat(never.get("nextAction").isNull()).isFalse();

        broker.stock("aliyun", "A100", 8, 1);
        broker.walkTo("2026-11-20T00:30:00+08:00");

        JsonNode taken = broker.reservation(auto);
        assertThat(taken.get("state").asText()).isEqualTo("active");
        assertThat(taken.get("substitution").isNull()).isTrue();
        assertThat(taken.get("assignment").get("gpu").get("model").asText()).startsWith("A100");
    }

    @Test
    void theStandInIsBoughtOnItsDateWhereTheAskedModelNeverAppears() {
        noA100Anywhere();
        JsonNode booked = broker.book(asked("auto")).body();

        broker.walkTo("2026-11-20T00:30:00+08:00");

        JsonNode running = broker.reservation(booked);
        assertThat(running.get("state").asText()).isEqualTo("active");
        assertThat(running.get("substitution").get("status").asText()).isEqualTo("final");
        assertThat(running.get("health").toString()).contains("substituted");
        broker.walkTo("2026-11-26T00:00:00+08:00");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void aClaimWhoseReplyIsLostEndsInExactlyOneMachineOnEveryPlatform() {
        List<String[]> sold = List.of(
                new String[] {"aliyun", "A100"},
                new String[] {"zhixingyun", "RTX4090"},
                new String[] {"aws", "H100"},
                new String[] {"huawei", "Ascend-910A"});
        for (String[] each : sold) {
            broker.stock(each[0], each[1], 8, 4);
            broker.fault(each[0], "claim", "lose_reply", 0);
            Answer booked = broker.book("""
                    {"gpu":{"model":"%s","count":8},"start":"2026-11-03T00:00:00+08:00","duration":"P1D",
                     "constraints":{"platforms":["%s"]},"substitution":{"mode":"never"}}""".formatted(each[1], each[0]));
            assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        }

        broker.walkTo("2026-11-03T00:50:00+08:00");

        for (String[] each : sold) {
            assertThat(broker.machines(each[0])).as(each[0]).hasSize(1);
        }
        broker.walkTo("2026-11-05T00:00:00+08:00");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void nothingIsLostOrDoubledOverARestart() throws Exception {
        JsonNode queued = broker.book(asked("never")).body();
        JsonNode soon = broker.book("""
                        {"gpu":{"model":"A100","count":8},"start":"2026-11-02T00:00:00+08:00","duration":"P2D"}""").body();
        broker.walkTo("2026-11-02T01:00:00+08:00");
        assertThat(broker.reservation(soon).get("state").asText()).isEqualTo("active");

        broker.restart();

        assertThat(broker.reservation(queued).get("state").asText()).isEqualTo("queued");
        broker.walkTo("2026-11-26T00:00:00+08:00");
        assertThat(broker.reservation(soon).get("state").asText()).isEqualTo("completed");
        assertThat(broker.reservation(queued).get("state").asText()).isEqualTo("completed");
        assertThat(broker.machines("aliyun")).hasSize(2);
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void twentyParallelBookingsForTheLastGpusOfAPoolBringOneAndFreeWindowsForTheRest() {
        broker.call(
                "POST", "/v1/pools", "{\"name\":\"lab\",\"model\":\"A100-SXM4-80GB\",\"gpusPerNode\":8,\"nodes\":1}");
        String body = """
                {"gpu":{"model":"A100","count":8},"start":"2026-11-20T00:00:00+08:00","duration":"P5D",
                 "constraints":{"platforms":["pool"]}}""";

        List<Answer> answers = IntStream.range(0, 20)
                .parallel()
                .mapToObj(each -> broker.book(body))
                .toList();

        assertThat(answers).extracting(Answer::status).containsOnly(201, 409);
        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(1);
        assertThat(answers).filteredOn(answer -> answer.status() == 409).allSatisfy(refused -> {
            assertThat(refused.body().get("code").asText()).isEqualTo("no_capacity");
            assertThat(refused.body().get("freeWindows")).isNotEmpty();
        });
    }
}
