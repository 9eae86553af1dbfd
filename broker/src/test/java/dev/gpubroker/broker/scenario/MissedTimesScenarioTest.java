package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that was down when something was due: cases M-01, M-02, M-10. */
class MissedTimesScenarioTest {
    @TempDir
    Path data;

    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.create();
        broker = new RunningBroker(database, data);
        broker.walkTo("2026-11-01T09:50:00+08:00");
        broker.call(
                "POST", "/v1/pools", "{\"name\":\"lab\",\"model\":\"A100-SXM4-80GB\",\"gpusPerNode\":8,\"nodes\":1}");
    }

    @AfterEach
    void stop() {
        broker.close();
        database.close();
    }

    private JsonNode book(String platform) {
        return broker.book("""
                {"gpu":{"model":"A100","count":8},"start":"2026-11-01T10:00:00+08:00","end":"2026-11-01T12:00:00+08:00",
                 "constraints":{"platforms":["%s"]},"substitution":{"mode":"never"}}""".formatted(platform)).body();
    }

    private String why(JsonNode booked) {
        return broker.get("/v1/reservations/" + booked.get("id").asText() + "/events?limit=200")
                .toString();
    }

    @Test
    void aStartThatWasMissedIsDoneLateAndTheLostMinutesAreSaid() throws Exception {
        JsonNode own = book("pool");
        JsonNode bought = book("aliyun");

        broker.restartAfter(Duration.ofMinutes(30));
        broker.walkTo("2026-11-01T10:30:00+08:00");

        for (JsonNode booked : new JsonNode[] {own, bought}) {
            JsonNode late = broker.reservation(booked);
            assertThat(late.get("state").asText()).isEqualTo("active");
            assertThat(late.get("health").toString()).contains("sla_incident");
            assertThat(why(booked)).contains("minutes of the window were lost");
        }
        broker.walkTo("2026-11-01T12:10:00+08:00");
        assertThat(broker.reservation(bought).get("state").asText()).isEqualTo("completed");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void aWindowThatWasMissedAltogetherIsNeverStarted() throws Exception {
        JsonNode own = book("pool");
        JsonNode bought = book("aliyun");

        broker.restartAfter(Duration.ofHours(3));
        broker.walkTo("2026-11-01T13:00:00+08:00");

        assertThat(broker.reservation(own).get("state").asText()).isEqualTo("failed");
        assertThat(broker.reservation(bought).get("state").asText()).isEqualTo("expired");
        assertThat(broker.states(own)).doesNotContain("active");
        assertThat(broker.machines("aliyun")).isEmpty();
    }

    @Test
    void aReleaseThatWasMissedIsAlwaysDoneLate() throws Exception {
        JsonNode bought = book("aliyun");
        broker.walkTo("2026-11-01T10:10:00+08:00");
        assertThat(broker.machinesLeft()).isEqualTo(1);

        broker.restartAfter(Duration.ofHours(2));
        broker.walkTo("2026-11-01T12:15:00+08:00");

        assertThat(broker.reservation(bought).get("state").asText()).isEqualTo("completed");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void aHigherPriceAtTheStartMayBeAnsweredUntilTheWaitRunsOutAndIsWithdrawnWhenThePriceIsRightAgain() {
        JsonNode booked = book("aliyun");
        broker.price("aliyun", "A100", 8, "400.00");
        broker.walkTo("2026-11-01T10:10:00+08:00");
        JsonNode offered = broker.reservation(booked);
        assertThat(offered.get("state").asText()).isEqualTo("offered");
        assertThat(offered.get("proposal").get("expiresAt").asText()).isEqualTo("2026-11-01T11:00:00+08:00");
        assertThat(broker.machines("aliyun")).isEmpty();

        broker.price("aliyun", "A100", 8, "277.93");
        broker.walkTo("2026-11-01T10:25:00+08:00");

        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("active");
        assertThat(broker.reservation(booked).get("proposal").isNull()).isTrue();
    }
}
