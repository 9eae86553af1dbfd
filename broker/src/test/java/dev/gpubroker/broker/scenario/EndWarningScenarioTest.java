package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an owner is told before a reservation ends. */
class EndWarningScenarioTest {
    @TempDir
    Path data;

    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.create();
        broker = new RunningBroker(database, data);
        broker.walkTo("2026-11-01T09:50:00+08:00");
        Answer made = broker.call(
                "POST", "/v1/pools", "{\"name\":\"lab\",\"model\":\"A100-SXM4-80GB\",\"gpusPerNode\":8,\"nodes\":1}");
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
    }

    @AfterEach
    void stop() {
        broker.close();
        database.close();
    }

    private JsonNode booked(String platform, String start, String end) {
        Answer booked = broker.book("""
                {"gpu":{"model":"A100","count":8},"start":"2026-11-%s:00:00+08:00","end":"2026-11-%s:00:00+08:00",
                 "constraints":{"platforms":["%s"]},"substitution":{"mode":"never"}}""".formatted(start, end, platform));
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        return booked.body();
    }

    /** The events of warnings, oldest first. */
    private List<JsonNode> warnings(JsonNode booked) {
        List<JsonNode> warnings = new ArrayList<>();
        broker.get("/v1/reservations/" + booked.get("id").asText() + "/events?limit=200")
                .get("items")
                .forEach(event -> {
                    if (event.get("what").asText().equals("ends_soon")) {
                        warnings.add(event);
                    }
                });
        return warnings;
    }

    /** When each was given, and how long before the end it says that is. */
    private List<String> times(JsonNode booked) {
        return warnings(booked).stream()
                .map(event -> event.get("at").asText().substring(8, 16) + " "
                        + event.get("after").get("before").asText())
                .toList();
    }

    @Test
    void whatRunsForDaysIsWarnedOfThriceWithThePriceOfAnotherHour() {
        JsonNode bought = booked("aliyun", "01T10", "03T10");

        broker.walkTo("2026-11-03T10:30:00+08:00");

        assertThat(times(bought)).containsExactly("02T10:00 PT24H", "03T08:00 PT2H", "03T09:30 PT30M");
        JsonNode first = warnings(bought).get(0);
        JsonNode extension = first.get("after").get("extension");
        assertThat(extension.get("possible").asBoolean()).isTrue();
        assertThat(extension.get("by").asText()).isEqualTo("PT1H");
        assertThat(extension.get("cost").get("amount").asText()).isEqualTo("278.07");
        assertThat(first.get("why").asText())
                .startsWith("it ends in 24 hours, at 2026-11-03T10:00:00+08:00; 1 hour more costs 278.07 CNY, until ")
                .contains("all data on the machines is gone at the end");
        assertThat(first.get("whyZh").asText()).contains("将在 24 小时后结束", "再延长 1 小时需 278.07 CNY", "都会被清除");
        assertThat(broker.reservation(bought).get("state").asText()).isEqualTo("completed");
    }

    @Test
    void whatIsShorterIsWarnedOfOnlyByWhatIsShorterThanIt() {
        JsonNode hour = booked("pool", "01T10", "01T11");
        JsonNode twoHours = booked("pool", "01T11", "01T13");

        broker.walkTo("2026-11-01T13:30:00+08:00");

        assertThat(times(hour)).containsExactly("01T10:30 PT30M");
        assertThat(times(twoHours)).containsExactly("01T12:30 PT30M");
    }

    @Test
    void theNextBookingOfTheNodeSaysHowFarItCanBeExtendedAndThatItCannot() {
        JsonNode free = booked("pool", "01T10", "01T12");
        booked("pool", "01T14", "01T16");
        broker.walkTo("2026-11-01T11:45:00+08:00");
        JsonNode until = warnings(free).get(0).get("after").get("extension");
        assertThat(until.get("until").asText()).isEqualTo("2026-11-01T14:00:00+08:00");
        assertThat(until.get("cost").get("amount").asText()).isEqualTo("0.00");

        JsonNode between = booked("pool", "01T12", "01T14");
        broker.walkTo("2026-11-01T13:45:00+08:00");
        JsonNode last = warnings(between).get(0);
        assertThat(last.get("after").get("extension").get("possible").asBoolean())
                .isFalse();
        assertThat(last.get("why").asText()).contains("cannot be extended: its GPUs are taken from its end on");
        assertThat(last.get("whyZh").asText()).contains("无法延长");
    }

    @Test
    @DisplayName("M-10: a reminder whose time passed while no broker ran is dropped, the next one is given")
    void aWarningThatWasMissedIsDropped() throws Exception {
        JsonNode own = booked("pool", "01T10", "01T18");
        broker.walkTo("2026-11-01T15:50:00+08:00");

        broker.restartAfter(Duration.ofMinutes(40));
        broker.walkTo("2026-11-01T17:55:00+08:00");

        assertThat(times(own)).containsExactly("01T17:30 PT30M");
    }

    @Test
    void anEndThatIsMovedLaterIsWarnedOfAgainAndNoEndTwice() {
        JsonNode own = booked("pool", "01T10", "01T16");
        broker.walkTo("2026-11-01T15:40:00+08:00");
        assertThat(times(own)).containsExactly("01T14:00 PT2H", "01T15:30 PT30M");

        change(own, "2026-11-01T20:00:00+08:00");
        change(own, "2026-11-01T16:00:00+08:00");
        change(own, "2026-11-01T20:00:00+08:00");
        broker.walkTo("2026-11-01T19:50:00+08:00");

        assertThat(times(own)).containsExactly("01T14:00 PT2H", "01T15:30 PT30M", "01T18:00 PT2H", "01T19:30 PT30M");
    }

    @Test
    void anEndThatIsMovedCloserIsWarnedOfAtItsOwnTimesAndNotLate() {
        JsonNode own = booked("pool", "01T10", "02T16");
        broker.walkTo("2026-11-01T15:10:00+08:00");

        change(own, "2026-11-01T17:00:00+08:00");
        broker.walkTo("2026-11-01T17:10:00+08:00");

        assertThat(times(own)).containsExactly("01T16:30 PT30M");
    }

    private void change(JsonNode booked, String end) {
        Answer changed = broker.change(booked, "{\"end\":\"" + end + "\"}");
        assertThat(changed.status()).as("%s", changed.body()).isEqualTo(200);
    }

    // ---- what is kept ---------------------------------------------------------------------------------------

    @Test
    void whatNoPlatformCanKeepRulesThemOutAndOwnMachinesStayWithTheirOwner() {
        String wish = """
                {"gpu":{"model":"A100","count":8},"start":"2026-11-01T10:00:00+08:00","duration":"PT4H",
                 "substitution":{"mode":"never"},"atEnd":{"keep":"disk","keepDays":7}}""";
        JsonNode quotes = broker.call("POST", "/v1/quotes", wish).body();

        assertThat(quotes.get("plans")).hasSize(1);
        JsonNode own = quotes.get("plans").get(0);
        assertThat(own.get("plan").get("platform").asText()).isEqualTo("pool");
        assertThat(own.get("dataAtEnd").asText()).contains("stay with their owner");
        List<JsonNode> left = new ArrayList<>();
        quotes.get("explanation").forEach(left::add);
        assertThat(left)
                .filteredOn(each -> each.get("platform").asText().equals("aliyun")
                        && each.get("model").asText().equals("A100-SXM4-80GB"))
                .isNotEmpty()
                .allSatisfy(each -> {
                    assertThat(each.get("reason").asText()).isEqualTo("not_offered");
                    assertThat(each.get("detail").asText()).contains("no disk of its machines can be kept");
                    assertThat(each.get("detailZh").asText()).contains("无法保留其机器的磁盘");
                });
    }

    @Test
    void everyQuoteOfAPlatformSaysThatAllDataIsGoneAtTheEnd() {
        JsonNode booked = booked("aliyun", "01T10", "01T12");
        assertThat(booked.get("quote").get("dataAtEnd").asText()).startsWith("all data on the machines is gone");
        assertThat(booked.get("quote").get("dataAtEndZh").asText()).contains("所有数据都会被清除");
    }
}
