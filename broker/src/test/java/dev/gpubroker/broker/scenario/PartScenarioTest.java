package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group of machines of which a platform delivers only some. */
class PartScenarioTest {
    @TempDir
    Path data;

    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() {
        database = TestDatabase.create();
    }

    @AfterEach
    void stop() {
        broker.close();
        database.close();
    }

    /** Of 24 GPUs the order of one machine never reaches the platform. */
    private JsonNode bookedWithOneLost(String settings) throws Exception {
        broker = new RunningBroker(database, data, settings);
        broker.walkTo("2026-11-01T10:00:00+08:00");
        Answer booked = broker.book("""
                {"gpu":{"model":"RTX4090","count":24},"start":"2026-11-01T12:00:00+08:00","duration":"PT10H",
                 "constraints":{"platforms":["zhixingyun"]},"substitution":{"mode":"never"}}""");
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        broker.fault("zhixingyun", "claim", "reset", 0);
        broker.walkTo("2026-11-01T12:40:00+08:00");
        return booked.body();
    }

    private static BigDecimal total(JsonNode reservation) {
        return new BigDecimal(
                reservation.get("quote").get("total").get("amount").asText());
    }

    @Test
    void aGroupIsHadWholeOrNotAtAll() throws Exception {
        JsonNode booked = bookedWithOneLost("");

        JsonNode r = broker.reservation(booked);
        assertThat(r.get("state").asText()).isEqualTo("active");
        assertThat(r.get("assignment").get("nodes")).hasSize(3);
        assertThat(broker.machinesLeft())
                .as("those of the first attempt were given back")
                .isEqualTo(3);
        assertThat(broker.machines("zhixingyun")).hasSize(5);
    }

    @Test
    void aPartThatThePolicyFindsWorthHavingIsKeptAndCostsItsPart() throws Exception {
        JsonNode booked = bookedWithOneLost("policy: {leastPart: 60}");

        JsonNode r = broker.reservation(booked);
        assertThat(r.get("state").asText()).isEqualTo("active");
        assertThat(r.get("health").toString()).contains("partly_filled");
        assertThat(r.get("request").get("gpu").get("count").asInt()).isEqualTo(16);
        assertThat(r.get("assignment").get("nodes")).hasSize(2);
        assertThat(total(r).multiply(BigDecimal.valueOf(3)))
                .isEqualByComparingTo(total(booked).multiply(BigDecimal.valueOf(2)));
        assertThat(broker.reasons(booked)).anyMatch(why -> why.startsWith("the platform delivered 2 of 3 machines"));
        assertThat(broker.machines("zhixingyun"))
                .as("nothing was bought a second time")
                .hasSize(2);

        Answer more = broker.call(
                "PATCH",
                "/v1/reservations/" + booked.get("id").asText(),
                "{\"count\":24}",
                "If-Match",
                "\"" + r.get("version").asText() + "\"",
                "Idempotency-Key",
                UUID.randomUUID().toString());
        assertThat(more.status()).as("%s", more.body()).isEqualTo(202);
        broker.walkTo("2026-11-01T13:00:00+08:00");
        JsonNode whole = broker.reservation(booked);
        assertThat(whole.get("assignment").get("nodes")).hasSize(3);
        assertThat(whole.get("health").toString()).doesNotContain("partly_filled");

        broker.walkTo("2026-11-01T23:30:00+08:00");
        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("completed");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void whereGpusArePricedWhatIsGivenBackIsCountedInGpus() throws Exception {
        broker = new RunningBroker(database, data);
        broker.walkTo("2026-11-01T10:00:00+08:00");
        Answer booked = broker.book("""
                {"gpu":{"model":"RTX4090","count":24},"start":"2026-11-01T12:00:00+08:00","duration":"PT10H",
                 "constraints":{"platforms":["zhixingyun"]},"substitution":{"mode":"never"}}""");
        broker.walkTo("2026-11-01T12:30:00+08:00");
        JsonNode whole = broker.reservation(booked.body());
        BigDecimal before = total(whole);

        Answer later = broker.change(booked.body(), "{\"end\":\"2026-11-01T23:00:00+08:00\"}");
        assertThat(later.status()).isEqualTo(409);
        assertThat(later.body().get("detail").asText())
                .contains("cannot be moved")
                .doesNotContain("try again");

        Answer half = broker.change(booked.body(), "{\"end\":\"2026-11-01T17:00:00+08:00\"}");
        assertThat(half.status()).as("%s", half.body()).isEqualTo(200);
        assertThat(total(half.body()).multiply(BigDecimal.valueOf(2))).isEqualByComparingTo(before);
    }

    @Test
    void tooSmallAPartIsGivenBack() throws Exception {
        JsonNode booked = bookedWithOneLost("policy: {leastPart: 70}");

        assertThat(broker.reservation(booked).get("assignment").get("nodes")).hasSize(3);
        assertThat(broker.machinesLeft()).isEqualTo(3);
    }
}
