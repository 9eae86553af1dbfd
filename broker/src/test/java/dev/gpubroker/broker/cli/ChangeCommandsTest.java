package dev.gpubroker.broker.cli;

import static dev.gpubroker.broker.cli.StubBroker.example;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changing reservations, and machines that are out of order. */
class ChangeCommandsTest {
    private static final String PATH = "/v1/reservations/rsv_06bq2v9x3k7m5n8p1r4s6t0w2y";

    private final StubBroker broker = StubBroker.start();
    private final CommandRun cli = CommandRun.against(broker);
    private final ObjectNode reservation = example("Reservation.substituted");

    @AfterEach
    void stop() {
        broker.close();
    }

    private void stubbed(ObjectNode after, int status) {
        reservation.put("id", PATH.substring(PATH.lastIndexOf('/') + 1));
        broker.on("GET " + PATH, 200, reservation).on("PATCH " + PATH, status, after);
    }

    private JsonNode sent() {
        return broker.calls("PATCH", PATH).get(0).json();
    }

    @Test
    void aChangeIsMadeOfTheVersionThatWasReadWithAKeyOfItsOwn() {
        stubbed(reservation, 200);

        assertThat(cli.run("change", id(), "--end", "2026-12-27", "--title", "longer", "--label", "project=x"))
                .isZero();

        StubBroker.Call call = broker.calls("PATCH", PATH).get(0);
        assertThat(call.header("If-match"))
                .isEqualTo("\"" + reservation.get("version").asLong() + "\"");
        assertThat(call.header("Idempotency-key")).startsWith("cli-");
        assertThat(sent().get("end").asText()).isEqualTo("2026-12-27");
        assertThat(sent().get("title").asText()).isEqualTo("longer");
        assertThat(sent().get("labels").get("project").asText()).isEqualTo("x");
        assertThat(sent().has("count")).isFalse();
    }

    @Test
    void aLengthIsCountedFromTheStartThatItWillHave() {
        stubbed(reservation, 200);
        String start = reservation.get("request").get("start").asText();
        assertThat(start).isEqualTo("2026-12-20T00:00:00+08:00");

        assertThat(cli.run("change", id(), "--for", "7d")).isZero();
        assertThat(cli.run("change", id(), "--start", "2026-12-21T08:00", "--for", "36h"))
                .isZero();

        assertThat(sent().get("end").asText()).isEqualTo("2026-12-27T00:00:00+08:00");
        assertThat(broker.calls("PATCH", PATH).get(1).json().get("end").asText())
                .isEqualTo("2026-12-22T20:00:00+08:00");
    }

    @Test
    void whatIsStillUnderWayIsSaid() {
        ObjectNode pending = reservation.deepCopy();
        pending.putObject("pendingChange").put("count", 16).put("requestedAt", "2026-12-20T01:00:00+08:00");
        stubbed(pending, 202);

        assertThat(cli.run("change", id(), "--count", "16")).isZero();

        assertThat(sent().get("count").asInt()).isEqualTo(16);
        assertThat(cli.out()).contains("16 GPUs count once all of them run");
    }

    @Test
    void aRefusalNamesTheLongestExtension() {
        stubbed(example("Problem.change_refused"), 409);

        assertThat(cli.run("change", id(), "--end", "2026-12-30")).isEqualTo(ExitCode.REFUSED);

        assertThat(cli.err())
                .containsPattern("Longest end: +2026-12-26 00:00 \\+08:00")
                .contains("evaluation");
    }

    @Test
    void aChangeOfNothingOrOfTwoEndsIsAMistake() {
        stubbed(reservation, 200);

        assertThat(cli.run("change", id())).isEqualTo(ExitCode.USAGE);
        assertThat(cli.run("change", id(), "--end", "2026-12-27", "--for", "2d"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(broker.calls("PATCH", PATH)).isEmpty();
    }

    private static String id() {
        return PATH.substring(PATH.lastIndexOf('/') + 1);
    }

    @Test
    void anOutageIsDeclaredListedAndEnded() {
        String path = "/v1/pools/lab/outages";
        ObjectNode outage = example("Outage.lab");
        broker.on("POST " + path, 201, outage)
                .on("GET " + path, 200, example("Outages.lab"))
                .on("DELETE " + path + "/out_1", 200, outage);

        assertThat(cli.run("pool", "outage", "add", "lab", "gpu01", "--gpus", "0-2,7", "--reason", "fan"))
                .isZero();
        assertThat(broker.calls("POST", path).get(0).json().get("gpus").toString())
                .isEqualTo("[0,1,2,7]");
        assertThat(cli.out())
                .contains("gpu01 GPU 0–3")
                .contains("moved")
                .contains("degraded")
                .contains("train-7b");
        assertThat(cli.run("pool", "outage", "list", "lab", "--lang", "zh")).isZero();
        assertThat(cli.out()).contains("未定").contains("power supply is replaced");
        assertThat(cli.run("pool", "outage", "end", "lab", "out_1")).isZero();
        assertThat(cli.run("pool", "outage", "add", "lab", "gpu01", "--gpus", "x", "--reason", "fan"))
                .isEqualTo(ExitCode.USAGE);
    }
}
