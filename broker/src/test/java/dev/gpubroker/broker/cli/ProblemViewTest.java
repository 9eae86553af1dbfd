package dev.gpubroker.broker.cli;

import static dev.gpubroker.broker.cli.StubBroker.example;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a person, or a script, is told when something goes wrong. */
class ProblemViewTest {
    private static final String BOOK = "POST /v1/reservations";

    private final StubBroker broker = StubBroker.start();
    private final CommandRun cli = CommandRun.against(broker);

    @AfterEach
    void stop() {
        broker.close();
    }

    @ParameterizedTest
    @CsvSource({
        "invalid_request, 400, 2, gpu.count",
        "no_such_date, 400, 2, 'Feb 30'",
        "unknown_field, 400, 2, duration",
        "idempotency_key_missing, 400, 2, Idempotency-Key",
        "no_capacity, 409, 4, 2026-12-25 00:00 +08:00",
        "change_refused, 409, 4, 2026-12-26 00:00 +08:00",
        "no_eligible_platform, 422, 4, not_compliant",
        "price_changed, 409, 4, gpu-broker book --quote qte_06bq2va1m4c8t0x5z9d3f7h1k6",
    })
    void everyProblemIsToldWithItsCodeItsWordsAndItsData(String code, int status, int exitCode, String told) {
        ObjectNode problem = example("Problem." + code);
        broker.on(BOOK, status, problem);

        assertThat(cli.run("book", "8×A100 for 5 days from the 20th")).isEqualTo(exitCode);

        assertThat(cli.err())
                .contains(code + ": " + problem.get("detail").asText())
                .contains(told)
                .doesNotContain("Exception");
        assertThat(cli.out()).isEmpty();
    }

    @Test
    void inChineseTheWordsAreChinese() {
        broker.on(BOOK, 409, example("Problem.no_capacity"));

        cli.run("book", "8×A100", "--lang", "zh");

        assertThat(cli.err()).contains("资源池 lab 在该时段没有 8 张空闲卡").contains("空闲自");
    }

    @Test
    void asJsonTheProblemDocumentIsPrinted() {
        ObjectNode problem = example("Problem.no_capacity");
        broker.on(BOOK, 409, problem);

        assertThat(cli.run("book", "8×A100", "--json")).isEqualTo(ExitCode.REFUSED);

        assertThat(StubBroker.parse(cli.out())).isEqualTo(problem);
    }

    @Test
    void aBrokerThatIsNotThereIsToldWithoutATrace() {
        broker.close();

        assertThat(cli.run("list")).isEqualTo(ExitCode.NO_ACCESS);

        assertThat(cli.err())
                .contains("No broker can be reached at " + broker.url())
                .doesNotContain("\tat ");
        assertThat(cli.pauses()).isEmpty();
    }

    @Test
    void bookingAtABrokerThatIsNotThereIsNotTriedAgain() {
        broker.close();

        assertThat(cli.run("book", "8×A100")).isEqualTo(ExitCode.NO_ACCESS);

        assertThat(cli.pauses()).isEmpty();
        assertThat(cli.err()).doesNotContain("not known whether");
    }

    @Test
    void anAddressThatIsNoneIsAUsageError() {
        assertThat(cli.run("list", "--url", "ftp://x")).isEqualTo(ExitCode.USAGE);
        assertThat(cli.run("list", "--url", "not an address")).isEqualTo(ExitCode.USAGE);

        assertThat(cli.err()).doesNotContain("Exception");
    }

    @Test
    void whatIsNoBrokerIsToldInOneLine() {
        broker.on("GET /v1/status", 502, "<html>Bad gateway</html>", Map.of())
                .on("GET /v1/status", 200, "<html>hello</html>", Map.of());

        assertThat(cli.run("status")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.run("status")).isEqualTo(ExitCode.NO_ACCESS);

        assertThat(cli.err()).contains("502").contains("is no gpu-broker").doesNotContain("Exception");
    }

    @Test
    void anUnknownTokenIsToldWithWhereItIsLookedFor() {
        ObjectNode problem = example("Problem.idempotency_key_missing").put("code", "unauthorized");
        broker.on("GET /v1/status", 401, problem);

        assertThat(cli.without("GPU_BROKER_TOKEN").run("status")).isEqualTo(ExitCode.NO_ACCESS);

        assertThat(cli.err()).contains("GPU_BROKER_TOKEN").contains("/nonexistent/.local/share/gpu-broker/admin-token");
    }

    @Test
    void theTokenOfABrokerOnThisMachineIsFoundAndNeverSentElsewhere(@TempDir Path data) throws IOException {
        Files.writeString(data.resolve("admin-token"), "local-secret\n");
        broker.on("GET /v1/status", 200, example("Status.demo"));
        cli.without("GPU_BROKER_TOKEN").with("GPU_BROKER_DATA", data.toString());

        cli.run("status");
        assertThat(broker.calls().get(0).header("Authorization")).isEqualTo("Bearer local-secret");

        try (StubBroker elsewhere = StubBroker.startAt("127.0.0.2")) {
            elsewhere.on("GET /v1/status", 200, example("Status.demo"));
            cli.run("status", "--url", elsewhere.url());
            assertThat(elsewhere.calls().get(0).header("Authorization")).isNull();
        }
    }

    @Test
    void aMisspeltOptionOrValueIsAUsageError() {
        assertThat(cli.run("book", "8×A100", "--titel", "x")).isEqualTo(ExitCode.USAGE);
        assertThat(cli.run("book", "8×A100", "--substitute", "maybe")).isEqualTo(ExitCode.USAGE);
        assertThat(cli.run("book", "8×A100", "--max-total", "much")).isEqualTo(ExitCode.USAGE);
        assertThat(cli.run("bok", "8×A100")).isEqualTo(ExitCode.USAGE);
        assertThat(cli.run()).isEqualTo(ExitCode.USAGE);

        assertThat(cli.err())
                .contains("--titel")
                .contains("never, ask, auto")
                .contains("1000CNY")
                .doesNotContain("\tat ");
        assertThat(broker.calls()).isEmpty();
    }
}
