package dev.gpubroker.broker.cli;

import static dev.gpubroker.broker.cli.StubBroker.example;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands beside booking. */
class CommandsTest {
    private final StubBroker broker = StubBroker.start();
    private final CommandRun cli = CommandRun.against(broker);

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void aQuoteShowsWhoWasAskedEveryPlanAndTheLinesOfTheFirst() {
        broker.on("POST /v1/quotes", 200, example("Quotes.mission"));

        assertThat(cli.run("quote", "8×A100 for 5 days from the 20th", "--substitute", "auto", "--models", "RTX4090"))
                .isZero();

        assertThat(broker.calls("POST", "/v1/quotes")
                        .get(0)
                        .json()
                        .at("/substitution/models/0")
                        .asText())
                .isEqualTo("RTX4090");
        assertThat(cli.out())
                .containsPattern("huawei +huawei-sim +SILENT platform_unavailable in 2000 ms +No answer within 2 s.")
                .containsPattern(
                        "1 +aliyun cn-hangzhou +8×A100-SXM4-80GB .* just in time +best effort +33360.00 CNY simulated"
                                + " +none \\(platform\\) +known +qte_06bq2va1m4c8t0x5z9d3f7h1k6")
                .containsPattern("2 +zhixingyun default +8×RTX4090 .*from 2203.20 CNY simulated .* A100 +qte_")
                .containsPattern("gpu +8×A100-SXM4-80GB, by the hour .*simulated")
                .containsPattern("huawei +A100 +platform_unavailable");
    }

    @Test
    void aListReadsEveryPage() {
        ObjectNode first = example("Reservations.page");
        ObjectNode second = first.deepCopy();
        first.put("nextCursor", "page-2");
        second.putNull("nextCursor");
        int each = first.get("items").size();
        broker.on("GET /v1/reservations", 200, first).on("GET /v1/reservations", 200, second);

        assertThat(cli.run("list", "--state", "queued", "--json")).isZero();

        assertThat(StubBroker.parse(cli.out()).get("items")).hasSize(2 * each);
        assertThat(broker.calls("GET", "/v1/reservations"))
                .extracting(StubBroker.Call::query)
                .satisfiesExactly(
                        query -> assertThat(query).contains("state=queued").doesNotContain("cursor"),
                        query -> assertThat(query).contains("cursor=page-2"));
    }

    @Test
    void whatIsShownHasItsEventsAndTheCommandThatMakesItAgain() {
        broker.on("GET /v1/reservations/rsv_1", 200, example("Reservation.substituted"))
                .on("GET /v1/reservations/rsv_1/events", 200, example("ReservationEvents.page"));

        assertThat(cli.run("show", "rsv_1", "--events")).isZero();

        assertThat(cli.out())
                .contains("active (substituted)")
                .contains(
                        "RTX4090 for A100 (sold_out); about 30 % longer (×1.3), estimated, field report 2026-03; final")
                .contains("zhixingyun-1 = 40021 GPU 0–7")
                .contains("queued → ordering")
                .contains("The start is 15 minutes away.")
                .contains("--substitute auto --models RTX4090");
    }

    @Test
    void whatCostsMoneyIsNotCancelledBeforeTheCostWasSeen() {
        broker.on("POST /v1/reservations/rsv_1/cancel", 409, example("Problem.cancellation_quote_required"));

        assertThat(cli.run("cancel", "rsv_1")).isEqualTo(ExitCode.NEEDS_CONFIRMATION);

        assertThat(cli.out()).contains("1334.40 CNY").contains("12009.60 CNY");
        assertThat(cli.err()).contains("gpu-broker cancel rsv_1 --quote cqt_06bq2vc5h8");
        assertThat(broker.calls()).hasSize(1);
    }

    @Test
    void whoAgreesCancelsAtTheQuoteThatWasShown() {
        ObjectNode cancelled = example("Reservation.queued").put("state", "releasing");
        broker.on("POST /v1/reservations/rsv_1/cancel", 409, example("Problem.cancellation_quote_required"))
                .on("POST /v1/reservations/rsv_1/cancel", 202, cancelled);

        assertThat(cli.typing("y").run("cancel", "rsv_1")).isZero();

        assertThat(broker.calls().get(1).body()).isEqualTo("{\"quoteId\":\"cqt_06bq2vc5h8\"}");
        assertThat(cli.out()).contains("releasing; it ends when the platform says");
    }

    @Test
    void aProposalIsAcceptedAsItWasSeen() {
        broker.on("GET /v1/reservations/rsv_1", 200, example("Reservation.offered"))
                .on("POST /v1/reservations/rsv_1/accept", 200, example("Reservation.queued"));

        assertThat(cli.run("accept", "rsv_1")).isZero();

        StubBroker.Call accepted =
                broker.calls("POST", "/v1/reservations/rsv_1/accept").get(0);
        assertThat(accepted.header("If-match")).isEqualTo("\"2\"");
        assertThat(accepted.header("Idempotency-key")).isNotBlank();
    }

    @Test
    void aPoolIsMadeOfHostsAndFoundByItsName() {
        ObjectNode pools = StubBroker.JSON.createObjectNode();
        pools.putArray("items").add(example("Pool.lab"));
        broker.on("POST /v1/pools", 201, example("Pool.lab"))
                .on("GET /v1/pools", 200, pools)
                .on("DELETE /v1/pools/pol_06bq2v8c3d", 204, "", Map.of());

        assertThat(cli.run(
                        "pool",
                        "create",
                        "lab",
                        "--model",
                        "A100-SXM4-80GB",
                        "--gpus-per-node",
                        "8",
                        "--host",
                        "gpu01=10.0.0.11",
                        "--host",
                        "gpu02/4",
                        "--turnaround",
                        "PT30M"))
                .isZero();
        assertThat(cli.run("pool", "list")).isZero();
        assertThat(cli.run("pool", "delete", "lab")).isZero();

        assertThat(broker.calls("POST", "/v1/pools").get(0).json())
                .isEqualTo(
                        StubBroker.parse(
                                "{\"name\":\"lab\",\"model\":\"A100-SXM4-80GB\",\"gpusPerNode\":8,\"hosts\":[{\"name\":\"gpu01\","
                                        + "\"address\":\"10.0.0.11\"},{\"name\":\"gpu02\",\"gpus\":4}],\"turnaround\":\"PT30M\"}"));
    }

    @Test
    void theClockMovesByALengthOrToATime() {
        broker.on("POST /v1/demo/clock", 200, example("DemoClock.advanced"));

        cli.run("clock", "--advance", "10d");
        cli.run("clock", "--set", "2026-12-11T10:00:00+08:00");

        assertThat(broker.calls())
                .extracting(StubBroker.Call::body)
                .containsExactly("{\"advance\":\"P10D\"}", "{\"set\":\"2026-12-11T10:00:00+08:00\"}");
        assertThat(cli.out()).contains("2026-12-11 10:00 +08:00");
    }

    @Test
    void aPhraseIsReadBackWithEveryReading() {
        broker.on("POST /v1/interpretations", 200, example("Interpretation.today-or-next-month"));

        assertThat(cli.run("interpret", "8卡A100", "从1号开始租5天", "--time-zone", "Asia/Shanghai"))
                .isZero();

        assertThat(cli.out()).contains("Understood 1").contains("Understood 2").contains("The 1st of next month.");
        assertThat(broker.calls().get(0).body()).contains("8卡A100 从1号开始租5天");
    }

    @ParameterizedTest
    @ValueSource(strings = {"status", "pause", "resume", "calendar"})
    void oneLookIsOneCall(String command) {
        broker.on("GET /v1/status", 200, example("Status.demo"))
                .on("POST /v1/purchases/pause", 200, example("Purchases.paused"))
                .on(
                        "POST /v1/purchases/resume",
                        200,
                        example("Purchases.paused").put("paused", false))
                .on("GET /v1/calendar", 200, example("Calendar.four-weeks"));

        assertThat(cli.run(command)).as(cli.err()).isZero();

        assertThat(broker.calls()).hasSize(1);
        assertThat(cli.out()).isNotBlank();
    }

    @Test
    void theCatalogueIsListedAndSearched() {
        ObjectNode platforms = StubBroker.JSON.createObjectNode();
        platforms.putArray("items").add(example("Platform.aliyun"));
        broker.on("GET /v1/gpu-models", 200, example("GpuModels.some"))
                .on("GET /v1/platforms", 200, platforms)
                .on("GET /v1/platforms/aliyun", 200, example("Platform.aliyun"))
                .on("GET /v1/availability", 200, example("Availability.a100"));

        assertThat(cli.run("models", "a100")).isZero();
        assertThat(cli.run("platforms")).isZero();
        assertThat(cli.run("platforms", "aliyun")).isZero();
        assertThat(cli.run("availability", "--model", "A100")).isZero();

        assertThat(cli.out())
                .contains("A100-SXM4-80GB")
                .contains("Alibaba Cloud 阿里云")
                .contains("cn-mlps-3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--help", "book --help", "pool create --help", "sim faults --help", "clock --help", "--version"})
    void helpIsThere(String arguments) {
        assertThat(cli.run(arguments.split(" "))).isZero();

        assertThat(cli.out()).contains("gpu-broker");
    }

    @Test
    void simulatorsAreMovedThroughTheirControl() {
        broker.on("PUT /_sim/aliyun/stock", 200, "{}", Map.of()).on("GET /_sim/aliyun/instances", 200, """
                        [{"id":"i-1","sku":"s","model":"A100","gpus":8,"key":null,"tags":{},"state":"Running",
                          "createdAt":"2026-12-20T00:00:00Z","releasedAt":null},
                         {"id":"i-2","sku":"s","model":"A100","gpus":8,"key":null,"tags":{},"state":"Released",
                          "createdAt":"2026-12-20T00:00:00Z","releasedAt":"2026-12-25T00:00:00Z"}]
                        """, Map.of());

        assertThat(cli.run("sim", "stock", "aliyun", "--model", "A100", "--nodes", "0", "--control", broker.url()))
                .isZero();
        assertThat(cli.run("sim", "instances", "aliyun", "--control", broker.url()))
                .isZero();

        assertThat(broker.calls("PUT", "/_sim/aliyun/stock").get(0).json())
                .isEqualTo(StubBroker.parse("{\"model\":\"A100\",\"gpusPerNode\":8,\"nodes\":0}"));
        assertThat(cli.out()).contains("machines left: 1");
    }

    @Test
    void theMachinesOfSimulatorsAreListedInTheBrokersZone() {
        broker.on("GET /v1/status", 200, StubBroker.example("Status.demo"))
                .on("GET /_sim/aliyun/instances", 200, """
                        [{"id":"i-1","sku":"s","model":"A100","gpus":8,"key":null,"tags":{},"state":"Running",
                          "createdAt":"2026-12-19T16:00:00Z","releasedAt":null}]
                        """, Map.of());

        assertThat(cli.run("sim", "instances", "aliyun", "--control", broker.url()))
                .isZero();

        assertThat(cli.out()).contains("2026-12-20 00:00 +08:00").doesNotContain("+00:00");
    }

    @Test
    void onAllSimulatorsThoseThatDoNotSellItArePassedOver() {
        broker.on("GET /_sim", 200, "[{\"platform\":\"aliyun\"},{\"platform\":\"huawei\"}]", Map.of())
                .on("PUT /_sim/aliyun/stock", 200, "{}", Map.of())
                .on("PUT /_sim/huawei/stock", 422, "{\"detail\":\"not sold\"}", Map.of());
        List<String> stock = List.of("--model", "A100", "--nodes", "0", "--control", broker.url());

        assertThat(cli.run(
                        "sim",
                        "stock",
                        "all",
                        stock.get(0),
                        stock.get(1),
                        stock.get(2),
                        stock.get(3),
                        stock.get(4),
                        stock.get(5)))
                .isZero();
        assertThat(cli.run(
                        "sim",
                        "stock",
                        "huawei",
                        stock.get(0),
                        stock.get(1),
                        stock.get(2),
                        stock.get(3),
                        stock.get(4),
                        stock.get(5)))
                .isEqualTo(ExitCode.REFUSED);
    }
}
