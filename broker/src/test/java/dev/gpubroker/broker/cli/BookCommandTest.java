package dev.gpubroker.broker.cli;

import static dev.gpubroker.broker.cli.StubBroker.example;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a person sees who books, and what the broker gets to see. */
class BookCommandTest {
    private static final String BOOK = "POST /v1/reservations";
    private static final String PHRASE = "8×A100 for 5 days from the 20th";

    private final StubBroker broker = StubBroker.start();
    private final CommandRun cli = CommandRun.against(broker);

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void aBookingSaysWhatWasUnderstoodPlannedAndPricedAndWhatComesNext() {
        broker.on(BOOK, 201, example("Reservation.queued"));

        assertThat(cli.run("book", PHRASE)).isZero();

        assertThat(cli.out())
                .contains("8 × A100, 5 days, Sun 20 Dec 2026 00:00 → Fri 25 Dec 2026 00:00 (Asia/Shanghai +08:00)")
                .contains("rsv_06bq2va3n7e1g5j9m2q6s0v4x8")
                .contains("aliyun (aliyun-sim, cn-hangzhou, cn-hangzhou-i), 8×A100-SXM4-80GB, ecs.gn7e-c16g1.32xlarge")
                .contains("just in time, best effort")
                .containsPattern("gpu +8×A100-SXM4-80GB, by the hour +120 node hour +× 277.93 +33351.60 CNY +simulated")
                .containsPattern("total +33360.00 CNY +simulated")
                .contains("nothing is bought above 36696.00 CNY")
                .containsPattern("zhixingyun +A100 +sold_out +zhixingyun has no 8×A100 now")
                .contains("order at 2026-12-19 23:45 +08:00")
                .contains("Scheduled, nothing bought yet; decision by 19 December 00:00.");
    }

    @Test
    void itSpeaksChineseWhereTheMachineDoes() {
        broker.on(BOOK, 201, example("Reservation.queued"));

        assertThat(cli.with("LANG", "zh_CN.UTF-8").run("book", "8卡A100 从20号开始租5天"))
                .isZero();

        assertThat(cli.out())
                .contains("排队中")
                .contains("8 × A100，5 天，2026年12月20日")
                .contains("到时下单")
                .contains("智星云目前没有 8 卡 A100，也未说明何时有货。")
                .contains("已排期，尚未下单");
    }

    @Test
    void thePhraseIsSentAsItWasSaidWithAKeyOfThisRunAndTheToken() {
        broker.on(BOOK, 201, example("Reservation.queued"));

        cli.run("book", "8×A100", "for", "5", "days", "from", "the", "20th", "--title", "7B fine-tuning");
        cli.run("book", PHRASE);

        List<StubBroker.Call> calls = broker.calls("POST", "/v1/reservations");
        assertThat(calls.get(0).json())
                .isEqualTo(example("BookingBody.phrase").retain("phrase").put("title", "7B fine-tuning"));
        assertThat(calls.get(0).header("Authorization")).isEqualTo("Bearer secret");
        assertThat(calls.get(0).header("Idempotency-key"))
                .isNotBlank()
                .isNotEqualTo(calls.get(1).header("Idempotency-key"));
    }

    @Test
    void aLostAnswerIsAskedForAgainWithTheSameKey() {
        broker.losing(BOOK).on(BOOK, 201, example("Reservation.queued"));

        assertThat(cli.run("book", PHRASE)).isZero();

        List<StubBroker.Call> calls = broker.calls("POST", "/v1/reservations");
        assertThat(calls).hasSizeGreaterThanOrEqualTo(2);
        assertThat(calls)
                .extracting(call -> call.header("Idempotency-key"))
                .containsOnly(calls.get(0).header("Idempotency-key"));
        assertThat(calls)
                .extracting(StubBroker.Call::body)
                .containsOnly(calls.get(0).body());
    }

    @Test
    void aCallThatStillRunsIsWaitedForAsLongAsTold() {
        ObjectNode running = example("Problem.idempotency_key_missing")
                .put("code", "idempotency_in_progress")
                .put("status", 409);
        broker.on(BOOK, 409, running.toString(), Map.of("Retry-After", "7"))
                .on(BOOK, 201, example("Reservation.queued"));

        assertThat(cli.run("book", PHRASE)).isZero();

        assertThat(cli.pauses()).containsExactly(Duration.ofSeconds(7));
    }

    @Test
    void whereNoAnswerComesTheKeyThatTellsTheOutcomeIsNamed() {
        broker.losing(BOOK);

        assertThat(cli.run("book", PHRASE, "--key", "mine-1")).isEqualTo(ExitCode.NO_ACCESS);

        assertThat(cli.err()).contains("not known whether").contains("--key mine-1");
    }

    @Test
    void aPhraseOfTwoReadingsIsNotGuessed() {
        broker.on(BOOK, 422, example("Problem.needs_confirmation"));

        assertThat(cli.run("book", "8卡A100 从1号开始租5天")).isEqualTo(ExitCode.NEEDS_CONFIRMATION);

        assertThat(broker.calls("POST", "/v1/reservations")).hasSize(1);
        assertThat(cli.out())
                .contains("1. 8 × A100, 5 days, from today")
                .contains("2. 8 × A100, 5 days, from Friday 1 January 2027");
        assertThat(cli.commands()).hasSize(2);
    }

    @Test
    void thePrintedCommandOfAReadingPostsItsRequest() {
        ObjectNode asked = example("Problem.needs_confirmation");
        broker.on(BOOK, 422, asked).on(BOOK, 201, example("Reservation.queued"));
        cli.run("book", "8卡A100 从1号开始租5天");

        assertThat(cli.runPrinted(cli.commands().get(1))).isZero();

        assertThat(broker.calls("POST", "/v1/reservations").get(1).json()).isEqualTo(asked.at("/readings/1/request"));
    }

    @Test
    void onATerminalTheChosenReadingIsBookedUnderAnotherKey() {
        ObjectNode asked = example("Problem.needs_confirmation");
        broker.on(BOOK, 422, asked).on(BOOK, 201, example("Reservation.queued"));

        assertThat(cli.typing("2").run("book", "8卡A100 从1号开始租5天", "--key", "k")).isZero();

        List<StubBroker.Call> calls = broker.calls("POST", "/v1/reservations");
        assertThat(calls.get(1).json()).isEqualTo(asked.at("/readings/1/request"));
        assertThat(calls).extracting(call -> call.header("Idempotency-key")).containsExactly("k", "k-2");
    }

    @Test
    void whoTypesNothingBooksNothing() {
        broker.on(BOOK, 422, example("Problem.needs_confirmation"));

        assertThat(cli.typing("").run("book", "8卡A100 从1号开始租5天")).isEqualTo(ExitCode.NEEDS_CONFIRMATION);

        assertThat(broker.calls("POST", "/v1/reservations")).hasSize(1);
    }

    @Test
    void yesTakesTheLikeliestReading() {
        ObjectNode asked = example("Problem.needs_confirmation");
        broker.on(BOOK, 422, asked).on(BOOK, 201, example("Reservation.queued"));

        assertThat(cli.run("book", "8卡A100 从1号开始租5天", "--yes")).isZero();

        assertThat(broker.calls("POST", "/v1/reservations").get(1).json()).isEqualTo(asked.at("/readings/0/request"));
    }

    @Test
    void likeBooksTheSameRequestAndANewStartKeepsItsLength() {
        broker.on("GET /v1/reservations/rsv_1", 200, example("Reservation.queued"))
                .on(BOOK, 201, example("Reservation.queued"));

        assertThat(cli.run("book", "--like", "rsv_1", "--start", "2027-01-02T00:00:00+08:00"))
                .isZero();

        ObjectNode expected = (ObjectNode) example("Reservation.queued").get("request");
        expected.remove("end");
        expected.put("start", "2027-01-02T00:00:00+08:00").put("duration", "P5D");
        assertThat(broker.calls("POST", "/v1/reservations").get(0).json()).isEqualTo(expected);
    }

    @Test
    void likeKeepsTheCapAndWhatToDoWhenNothingFitsAndPrintsThemAgain() {
        ObjectNode earlier = (ObjectNode) example("Reservation.queued");
        ObjectNode request = (ObjectNode) earlier.get("request");
        request.put("onUnavailable", "refuse");
        request.putObject("maxTotal").put("amount", "9600.00").put("currency", "CNY");
        broker.on("GET /v1/reservations/rsv_1", 200, earlier).on(BOOK, 201, earlier);

        assertThat(cli.run("book", "--like", "rsv_1")).isZero();

        assertThat(broker.calls("POST", "/v1/reservations").get(0).json()).isEqualTo(request);
        assertThat(cli.commands().get(0)).contains("--max-total 9600.00CNY", "--on-unavailable refuse");
        assertThat(cli.runPrinted(cli.commands().get(0))).isZero();
        assertThat(broker.calls("POST", "/v1/reservations").get(1).json()).isEqualTo(request);
    }

    @Test
    void aQuoteIsBookedAsItIs() {
        broker.on(BOOK, 201, example("Reservation.queued"));

        assertThat(cli.run("book", "--quote", "quo_1", "--title", "t")).isZero();

        assertThat(broker.calls("POST", "/v1/reservations").get(0).body())
                .isEqualTo("{\"title\":\"t\",\"quoteId\":\"quo_1\"}");
    }

    @Test
    void aDateWithoutOffsetIsReadInTheBrokersZone() {
        broker.on("GET /v1/status", 200, example("Status.demo")).on(BOOK, 201, example("Reservation.queued"));

        cli.run("book", "--gpu", "A100", "--count", "8", "--start", "2026-12-20", "--for", "5d");

        assertThat(broker.calls("POST", "/v1/reservations")
                        .get(0)
                        .json()
                        .path("timeZone")
                        .asText())
                .isEqualTo("Asia/Shanghai");
        assertThat(broker.calls("POST", "/v1/reservations")
                        .get(0)
                        .json()
                        .path("duration")
                        .asText())
                .isEqualTo("P5D");
    }

    @Test
    void asJsonTheAnswerIsPrintedAndNothingElse() {
        ObjectNode answer = example("Reservation.queued");
        broker.on(BOOK, 201, answer);

        assertThat(cli.run("--json", "book", PHRASE)).isZero();

        assertThat(StubBroker.parse(cli.out())).isEqualTo(answer);
    }

    @Test
    void anOfferedReservationNamesBothAnswers() {
        broker.on(BOOK, 201, example("Reservation.offered"));

        cli.run("book", PHRASE);

        assertThat(cli.out())
                .contains("8×RTX4090 can, for about CNY 2203.20")
                .contains("gpu-broker accept rsv_06bq2va3n7e1g5j9m2q6s0v4xa")
                .contains("gpu-broker decline rsv_06bq2va3n7e1g5j9m2q6s0v4xa");
    }

    @Test
    void whoSaysNothingIsToldHow() {
        assertThat(cli.run("book")).isEqualTo(ExitCode.USAGE);

        assertThat(cli.err()).contains("Say what is wanted").doesNotContain("Exception");
        assertThat(broker.calls()).isEmpty();
    }
}
