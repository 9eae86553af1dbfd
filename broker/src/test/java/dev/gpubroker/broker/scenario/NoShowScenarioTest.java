package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What jobs were to use and nobody did. */
class NoShowScenarioTest {
    @TempDir
    Path data;

    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.create();
        broker = new RunningBroker(database, data, "policy: {noShowAfter: PT15M}");
        broker.walkTo("2026-11-01T09:00:00+08:00");
    }

    @AfterEach
    void stop() {
        broker.close();
        database.close();
    }

    private JsonNode bought(String labels) {
        Answer booked = broker.book("""
                {"gpu":{"model":"A100","count":8},"start":"2026-11-01T10:00:00+08:00","duration":"PT8H","labels":%s,
                 "constraints":{"platforms":["aliyun"]},"substitution":{"mode":"never"}}""".formatted(labels));
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        return booked.body();
    }

    private void lease(JsonNode booked) {
        Answer held = broker.call(
                "POST",
                "/v1/leases",
                "{\"reservation\":\"" + booked.get("id").asText() + "\",\"gpus\":1}",
                "Idempotency-Key",
                UUID.randomUUID().toString());
        assertThat(held.status()).as("%s", held.body()).isEqualTo(201);
    }

    @Test
    @DisplayName("L-16: no lease in the first third: warned; none until the end of the time: given back as no_show")
    void whatNoJobLeasesIsWarnedOfAndGivenBack() {
        JsonNode booked = bought("{\"leases\":\"any\"}");
        broker.walkTo("2026-11-01T10:04:00+08:00");
        JsonNode running = broker.reservation(booked);
        assertThat(running.get("state").asText()).isEqualTo("active");
        assertThat(running.get("blockers")).isEmpty();

        broker.walkTo("2026-11-01T10:10:00+08:00");
        JsonNode warned = broker.reservation(booked);
        assertThat(warned.get("state").asText()).isEqualTo("active");
        assertThat(warned.get("blockers").get(0).get("what").asText()).isEqualTo("no_show");
        assertThat(warned.get("blockers").get(0).get("howZh").asText()).contains("自动释放");

        broker.walkTo("2026-11-01T10:30:00+08:00");
        JsonNode over = broker.reservation(booked);
        assertThat(over.get("state").asText()).isEqualTo("no_show");
        assertThat(over.get("blockers")).isEmpty();
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    @DisplayName("L-16: one lease is use, also after the warning")
    void aLeaseTakesTheWarningAway() {
        JsonNode booked = bought("{\"leases\":\"jobs\"}");
        broker.walkTo("2026-11-01T10:10:00+08:00");
        assertThat(broker.reservation(booked).get("blockers")).hasSize(1);

        lease(booked);
        broker.walkTo("2026-11-01T10:40:00+08:00");

        JsonNode used = broker.reservation(booked);
        assertThat(used.get("state").asText()).isEqualTo("active");
        assertThat(used.get("blockers")).isEmpty();
    }

    @Test
    @DisplayName("L-16: without a signal of use nobody is a no-show, whatever the policy")
    void withoutTheLabelNothingHappens() {
        JsonNode silent = bought("{}");
        broker.walkTo("2026-11-01T12:00:00+08:00");
        assertThat(broker.reservation(silent).get("state").asText()).isEqualTo("active");
        assertThat(broker.reservation(silent).get("blockers")).isEmpty();
    }

    @Test
    @DisplayName("L-16: who takes the label away after the warning keeps it")
    void takingTheLabelAwayKeepsIt() {
        JsonNode booked = bought("{\"leases\":\"any\"}");
        broker.walkTo("2026-11-01T10:10:00+08:00");
        assertThat(broker.change(booked, "{\"labels\":{}}").status()).isEqualTo(200);

        broker.walkTo("2026-11-01T11:00:00+08:00");

        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("active");
        assertThat(broker.reservation(booked).get("blockers")).isEmpty();
    }
}
