package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slower models that may have more GPUs or a later end: an RTX4090 takes ×1.89 as long as an A100. */
class StretchScenarioTest {
    @TempDir
    Path data;

    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.create();
        broker = new RunningBroker(database, data);
        broker.walkTo("2026-11-01T10:00:00+08:00");
        for (String platform : List.of("aliyun", "zhixingyun", "aws")) {
            broker.stock(platform, "A100", 8, 0);
        }
    }

    @AfterEach
    void stop() {
        broker.close();
        database.close();
    }

    private static String body(int count, String platform, String substitution, String more) {
        return """
                {"gpu":{"model":"A100","count":%d},"start":"2026-11-05T00:00:00+08:00","duration":"P5D",
                 "onUnavailable":"queue","constraints":{"platforms":["%s"]},
                 "substitution":{"models":["RTX4090"],%s}%s}""".formatted(count, platform, substitution, more);
    }

    private JsonNode book(int count, String platform, String substitution, String more) {
        Answer answer = broker.book(body(count, platform, substitution, more));
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(201);
        return answer.body();
    }

    private void pool(int nodes) {
        String pool = "{\"name\":\"gaming\",\"model\":\"RTX4090\",\"gpusPerNode\":8,\"nodes\":%d}";
        assertThat(broker.call("POST", "/v1/pools", pool.formatted(nodes)).status())
                .isEqualTo(201);
    }

    private static String end(JsonNode r) {
        return r.get("request").get("end").asText();
    }

    private static int count(JsonNode r) {
        return r.get("request").get("gpu").get("count").asInt();
    }

    private JsonNode answer(JsonNode r, String how) {
        String id = r.get("id").asText();
        Answer answered = broker.call("POST", "/v1/reservations/" + id + "/" + how, "{}", "Idempotency-Key", how + id);
        assertThat(answered.status()).as("%s", answered.body()).isEqualTo(200);
        return answered.body();
    }

    @Test
    void twiceTheGpusAreBoughtForTheStandInAndAllAreGivenBack() {
        JsonNode booked = book(8, "zhixingyun", "\"mode\":\"auto\",\"scaleCount\":true", "");
        assertThat(booked.get("state").asText()).isEqualTo("queued");
        assertThat(booked.get("substitution").get("count").asInt()).isEqualTo(16);
        assertThat(booked.get("substitution").get("askedCount").asInt()).isEqualTo(8);
        assertThat(booked.get("substitution").get("expectedSlowdown").decimalValue())
                .isEqualByComparingTo("1.00");
        assertThat(count(booked)).as("nothing is bought yet").isEqualTo(8);

        broker.walkTo("2026-11-05T00:30:00+08:00");
        JsonNode running = broker.reservation(booked);
        assertThat(running.get("state").asText()).isEqualTo("active");
        assertThat(running.get("assignment").get("gpu").get("count").asInt()).isEqualTo(16);
        assertThat(count(running)).isEqualTo(16);
        assertThat(broker.machinesLeft()).isEqualTo(2);

        broker.walkTo("2026-11-10T01:00:00+08:00");
        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("completed");
        assertThat(broker.machinesLeft()).isZero();
    }

    @Test
    void theAskedModelIsTakenWithWhatWasAskedWhenItAppearsAfterAll() {
        JsonNode booked =
                book(8, "aliyun\",\"zhixingyun", "\"mode\":\"auto\",\"scaleCount\":true,\"extendWindow\":true", "");
        broker.stock("aliyun", "A100", 8, 1);

        broker.walkTo("2026-11-05T00:30:00+08:00");

        JsonNode taken = broker.reservation(booked);
        assertThat(taken.get("assignment").get("gpu").get("model").asText()).startsWith("A100");
        assertThat(count(taken)).isEqualTo(8);
        assertThat(end(taken)).isEqualTo("2026-11-10T00:00:00+08:00");
    }

    @Test
    void moreGpusThanTheLimitPaysForAreLeftAsideAloudAndTheStandInAsItIsIsTaken() {
        JsonNode quotes = broker.call(
                        "POST", "/v1/quotes", body(8, "zhixingyun", "\"mode\":\"ask\",\"scaleCount\":true", ""))
                .body()
                .get("plans");
        BigDecimal plain = total(quotes, 8);
        assertThat(total(quotes, 16)).isEqualByComparingTo(plain.multiply(BigDecimal.valueOf(2)));
        String limit = ",\"maxTotal\":{\"amount\":\"" + plain.setScale(2) + "\",\"currency\":\"CNY\"}";

        JsonNode booked = book(8, "zhixingyun", "\"mode\":\"auto\",\"scaleCount\":true", limit);

        assertThat(booked.get("substitution").has("count")).isFalse();
        assertThat(booked.get("explanation").toString())
                .contains("16 GPUs instead of 8")
                .contains("too_expensive");
    }

    private static BigDecimal total(JsonNode plans, int count) {
        JsonNode plan = StreamSupport.stream(plans.spliterator(), false)
                .filter(each -> each.get("plan").get("gpu").get("count").asInt() == count)
                .filter(each -> each.get("plan").get("acquisition").asText().equals("just_in_time"))
                .findFirst()
                .orElseThrow();
        return new BigDecimal(plan.get("total").get("amount").asText());
    }

    @Test
    void whatAProposalTakesMoreIsSaidWithItsPriceInBothLanguages() {
        JsonNode proposal = book(8, "zhixingyun", "\"mode\":\"ask\",\"scaleCount\":true", "")
                .get("proposal");
        BigDecimal total =
                new BigDecimal(proposal.get("quote").get("total").get("amount").asText());
        String half = total.divide(BigDecimal.valueOf(2)).setScale(2).toPlainString();

        assertThat(proposal.get("detail").asText()).contains("16×RTX4090", "16 GPUs instead of 8", half);
        assertThat(proposal.get("detailZh").asText()).contains("16×RTX4090", "16 张卡（原为 8 张）", half);
    }

    @Test
    void aLongerWindowIsHeldWhileItsOwnerIsAskedAndIsTheReservationsOnceAccepted() {
        pool(1);
        JsonNode offered = book(8, "pool", "\"mode\":\"ask\",\"extendWindow\":true", "");
        assertThat(offered.get("proposal").get("kind").asText()).isEqualTo("held_place");
        assertThat(offered.get("proposal").get("detail").asText()).contains("until 2026-11-14T11:00:00+08:00");
        assertThat(end(offered)).isEqualTo("2026-11-10T00:00:00+08:00");
        String after = """
                {"gpu":{"model":"RTX4090","count":8},"start":"2026-11-12T00:00:00+08:00","duration":"P1D",
                 "constraints":{"platforms":["pool"]}}""";
        assertThat(broker.book(after).status()).as("the hours are held").isEqualTo(409);

        JsonNode accepted = answer(offered, "accept");

        assertThat(accepted.get("state").asText()).isEqualTo("confirmed");
        assertThat(end(accepted)).isEqualTo("2026-11-14T11:00:00+08:00");
        assertThat(accepted.get("substitution").get("askedEnd").asText()).isEqualTo("2026-11-10T00:00:00+08:00");
        broker.walkTo("2026-11-14T10:00:00+08:00");
        assertThat(broker.reservation(offered).get("state").asText()).isEqualTo("active");
        broker.walkTo("2026-11-14T12:00:00+08:00");
        assertThat(broker.reservation(offered).get("state").asText()).isEqualTo("completed");
    }

    @Test
    void whereTheLongerWindowIsTakenTheAskedOneIsOffered() {
        pool(1);
        broker.book("""
                {"gpu":{"model":"RTX4090","count":8},"start":"2026-11-12T00:00:00+08:00","duration":"P1D",
                 "constraints":{"platforms":["pool"]}}""");

        JsonNode offered = book(8, "pool", "\"mode\":\"ask\",\"extendWindow\":true", "");

        assertThat(offered.get("proposal").get("kind").asText()).isEqualTo("held_place");
        assertThat(offered.get("proposal").get("detail").asText()).doesNotContain("until");
        assertThat(end(answer(offered, "accept"))).isEqualTo("2026-11-10T00:00:00+08:00");
    }

    @Test
    void whoGivesPartOfItBackKeepsTheRest() {
        pool(1);
        JsonNode offered = book(4, "pool", "\"mode\":\"ask\",\"scaleCount\":true,\"extendWindow\":true", "");
        JsonNode accepted = answer(offered, "accept");
        assertThat(count(accepted)).isEqualTo(8);

        Answer changed = broker.change(accepted, "{\"count\":6}");

        assertThat(changed.status()).as("%s", changed.body()).isEqualTo(200);
        assertThat(count(changed.body())).isEqualTo(6);
        assertThat(changed.body().get("assignment").get("gpu").get("count").asInt())
                .isEqualTo(6);
        broker.walkTo("2026-11-10T01:00:00+08:00");
        assertThat(broker.reservation(offered).get("state").asText()).isEqualTo("completed");
    }
}
