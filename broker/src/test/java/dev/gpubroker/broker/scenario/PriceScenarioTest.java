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

/** Prices above what may be spent: nothing is bought, and the owner is told and asked. */
class PriceScenarioTest {
    @TempDir
    Path data;

    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.create();
        broker = new RunningBroker(database, data);
        broker.walkTo("2026-11-01T10:00:00+08:00");
        hourly("100");
    }

    @AfterEach
    void stop() {
        broker.close();
        database.close();
    }

    private void hourly(String price) {
        broker.price("aliyun", "A100-SXM4-80GB", 8, price);
    }

    private JsonNode booked(String more) {
        Answer booked = broker.book("""
                {"gpu":{"model":"A100","count":8},"start":"2026-11-03T00:00:00+08:00","duration":"PT10H",
                 "constraints":{"platforms":["aliyun"]},"substitution":{"mode":"never"}%s}""".formatted(more));
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        return booked.body();
    }

    private static String limit(String amount) {
        return ",\"maxTotal\":{\"amount\":\"" + amount + "\",\"currency\":\"CNY\"}";
    }

    private JsonNode answer(JsonNode booked, String what) {
        Answer answer = broker.call(
                "POST",
                "/v1/reservations/" + booked.get("id").asText() + "/" + what,
                "{}",
                "Idempotency-Key",
                UUID.randomUUID().toString());
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(200);
        return answer.body();
    }

    private static BigDecimal amount(JsonNode money) {
        return new BigDecimal(money.get("amount").asText());
    }

    private static void assertAsksForMore(JsonNode r, String limit) {
        assertThat(r.get("state").asText()).as("%s", r).isEqualTo("offered");
        JsonNode proposal = r.get("proposal");
        assertThat(proposal.get("kind").asText()).isEqualTo("higher_price");
        assertThat(proposal.get("detail").asText()).contains("nothing has been bought");
        assertThat(amount(proposal.get("quote").get("total"))).isGreaterThan(new BigDecimal(limit));
    }

    @Test
    void aPriceThatRoseAboveTheOwnersLimitIsProposedAndNotBought() {
        JsonNode booked = booked(limit("1200"));
        assertThat(booked.get("state").asText()).isEqualTo("queued");
        hourly("150");

        broker.walkTo("2026-11-03T00:01:00+08:00");

        JsonNode offered = broker.reservation(booked);
        assertAsksForMore(offered, "1200");
        assertThat(broker.machines("aliyun")).isEmpty();

        JsonNode accepted = answer(booked, "accept");
        assertThat(amount(accepted.get("request").get("maxTotal")))
                .isEqualByComparingTo(
                        amount(offered.get("proposal").get("quote").get("total")));
        broker.walkTo("2026-11-03T00:20:00+08:00");
        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("active");
        assertThat(broker.machines("aliyun")).hasSize(1);
    }

    @Test
    void whatCostsMoreThanTheLimitWhenItIsBookedIsProposedAtOnce() {
        JsonNode booked = booked(limit("500"));

        assertAsksForMore(booked, "500");
        assertThat(booked.get("explanation").toString()).contains("too_expensive");

        answer(booked, "decline");
        hourly("40");
        broker.walkTo("2026-11-03T00:20:00+08:00");
        JsonNode cheaper = broker.reservation(booked);
        assertThat(cheaper.get("state").asText()).isEqualTo("active");
        assertThat(amount(cheaper.get("request").get("maxTotal"))).isEqualByComparingTo("500");
    }

    @Test
    void anExtensionOfAQueuedBookingBeyondItsLimitAsks() {
        JsonNode booked = booked(limit("1200"));

        Answer changed = broker.change(booked, "{\"end\":\"2026-11-04T00:00:00+08:00\"}");

        assertThat(changed.status()).as("%s", changed.body()).isEqualTo(200);
        assertAsksForMore(broker.reservation(booked), "1200");
    }

    @Test
    void aBookingThatMayNotWaitIsRefusedAboveItsLimitAndSaysWhatItCosts() {
        Answer refused = broker.book("""
                {"gpu":{"model":"A100","count":8},"start":"2026-11-03T00:00:00+08:00","duration":"PT10H",
                 "constraints":{"platforms":["aliyun"]},"substitution":{"mode":"never"},"onUnavailable":"refuse"%s}""".formatted(limit("500")));

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.body().get("explanation").toString())
                .contains("too_expensive")
                .contains("above the limit of");
    }

    @Test
    void aheadOfTheStartAPriceAboveTheLimitIsABlocker() {
        JsonNode booked = booked(limit("1200"));
        hourly("150");

        broker.walkTo("2026-11-02T00:30:00+08:00");

        assertThat(broker.reservation(booked).get("blockers"))
                .extracting(blocker -> blocker.get("what").asText())
                .contains("too_expensive");
    }

    @Test
    void withoutALimitAPriceAboveTheQuotePlusTenPercentIsProposed() {
        JsonNode booked = booked("");
        hourly("115");

        broker.walkTo("2026-11-03T00:01:00+08:00");

        assertAsksForMore(broker.reservation(booked), "1100");
        answer(booked, "accept");
        broker.walkTo("2026-11-03T00:20:00+08:00");
        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("active");
    }
}
