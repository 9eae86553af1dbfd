package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What waits for a person: approvals, machines nobody knows, and what stands in the way of a start. */
class PersonScenarioTest {
    private static final String EIGHT_ON_ALIYUN = """
            {"gpu":{"model":"A100","count":8},"start":"2026-11-20T00:00:00+08:00","duration":"P5D",
             "constraints":{"platforms":["aliyun"]},"substitution":{"mode":"never"}}""";

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

    private JsonNode onlyTask() {
        JsonNode open = broker.get("/v1/tasks").get("items");
        assertThat(open).hasSize(1);
        return open.get(0);
    }

    private Answer answer(JsonNode task, String answer) {
        return broker.call(
                "POST", "/v1/tasks/" + task.get("id").asText() + "/answer", "{\"answer\":\"" + answer + "\"}");
    }

    private void purchases(String mode) {
        database.execute("UPDATE account SET purchases = '" + mode + "' WHERE platform = 'aliyun'");
    }

    @Test
    void anAccountThatWantsApprovalBuysNothingBeforeSomebodyApproves() {
        purchases("approve");
        JsonNode booked = broker.book(EIGHT_ON_ALIYUN).body();
        broker.walkTo("2026-11-02T10:00:00+08:00");

        JsonNode blocked = broker.reservation(booked);
        assertThat(blocked.get("health").toString()).contains("blocked");
        assertThat(blocked.get("blockers").get(0).get("how").asText()).contains("approve");
        assertThat(blocked.get("blockers").get(0).get("fixBy").asText()).isEqualTo("2026-11-20T00:00:00+08:00");
        JsonNode task = onlyTask();
        assertThat(task.get("kind").asText()).isEqualTo("approve_purchase");

        broker.walkTo("2026-11-20T00:10:00+08:00");
        assertThat(broker.machines("aliyun")).isEmpty();

        assertThat(answer(task, "approve").status()).isEqualTo(200);
        broker.walkTo("2026-11-20T00:20:00+08:00");
        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("active");
        assertThat(broker.reservation(booked).get("blockers")).isEmpty();
        assertThat(broker.machinesLeft()).isEqualTo(1);
    }

    @Test
    void aRefusedPurchaseCancelsItsReservationAndAnotherAnswerIsTooLate() {
        purchases("approve");
        JsonNode booked = broker.book(EIGHT_ON_ALIYUN).body();
        broker.walkTo("2026-11-02T10:00:00+08:00");
        JsonNode task = onlyTask();

        assertThat(answer(task, "perhaps").status()).isEqualTo(400);
        assertThat(answer(task, "refuse").status()).isEqualTo(200);
        assertThat(answer(task, "refuse").status()).isEqualTo(200);
        Answer late = answer(task, "approve");

        assertThat(late.status()).isEqualTo(409);
        assertThat(late.body().get("code").asText()).isEqualTo("wrong_state");
        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("cancelled");
    }

    @Test
    void anAccountThatOnlyObservesIsABlockerUntilItsModeIsChanged() {
        JsonNode booked = broker.book(EIGHT_ON_ALIYUN).body();
        purchases("observe");
        broker.walkTo("2026-11-06T10:00:00+08:00"); // The look 14 days ahead.

        JsonNode blocked = broker.reservation(booked);
        assertThat(blocked.get("blockers")).isNotEmpty();
        assertThat(blocked.get("blockers").get(0).get("what").asText()).isEqualTo("purchases_off");

        purchases("auto");
        broker.walkTo("2026-11-13T10:00:00+08:00");
        assertThat(broker.reservation(booked).get("blockers")).isEmpty();
        assertThat(broker.reservation(booked).get("health").toString()).doesNotContain("blocked");
    }

    @Test
    void aMachineThatTheLedgerDoesNotKnowIsNeverTouchedAndStopsItsAccountUntilSomebodyHasLooked() {
        JsonNode booked = broker.book("""
                {"gpu":{"model":"A100","count":8},"start":"2026-11-02T00:00:00+08:00","duration":"P20D"}""").body();
        broker.walkTo("2026-11-02T01:00:00+08:00");
        assertThat(broker.machinesLeft()).isEqualTo(1);
        // As after the restore of a backup that is older than the booking.
        database.execute("DELETE FROM due_work; DELETE FROM allocation; DELETE FROM node; DELETE FROM claim;"
                + "DELETE FROM reservation_event; DELETE FROM outbox; DELETE FROM reservation;"
                + "INSERT INTO due_work (kind, subject, due_at, periodic)"
                + " SELECT 'sweep', account_id, business_now(), true FROM account");

        broker.walkTo("2026-11-03T00:00:00+08:00");
        assertThat(broker.machinesLeft()).isEqualTo(1);
        JsonNode task = onlyTask();
        assertThat(task.get("kind").asText()).isEqualTo("unknown_machine");

        JsonNode next = broker.book(EIGHT_ON_ALIYUN.replace("11-20", "11-07")).body();
        broker.walkTo("2026-11-07T00:30:00+08:00");
        assertThat(broker.machinesLeft())
                .as("nothing is bought on a stopped account")
                .isEqualTo(1);

        assertThat(answer(task, "leave").status()).isEqualTo(200);
        broker.walkTo("2026-11-07T00:50:00+08:00");
        assertThat(broker.reservation(next).get("state").asText()).isEqualTo("active");
        broker.walkTo("2026-11-20T00:00:00+08:00");
        assertThat(broker.machinesLeft())
                .as("the unknown machine is still there")
                .isEqualTo(1);
        assertThat(broker.get("/v1/tasks").get("items")).isEmpty();
        assertThat(booked.get("id")).isNotNull();
    }
}
