package dev.gpubroker.broker.http;

import static dev.gpubroker.broker.http.TestServer.BOOKING;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.http.TestServer.Answer;
import io.vertx.core.Future;
import java.nio.charset.Charset;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a request that breaks the contract is told. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // The server is made before the first test.
class RequestCheckTest {
    private final MemoryIdempotencyStore keys = new MemoryIdempotencyStore();
    private TestServer server;

    @BeforeAll
    void start() {
        server = new TestServer(keys, List.of());
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @AfterEach
    void forget() {
        server.handlers.clear();
        keys.entries.clear();
    }

    @Test
    void everyBadQueryParameterIsNamed() {
        Answer answer = server.get("/v1/reservations?limt=5&limit=0&exact=maybe&state=gone&from=1&from=2");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("invalid_request");
        assertThat(answer.errors())
                .containsExactly("limt unknown_field", "limit minimum", "from repeated", "exact type", "state[0] enum");
        assertThat(answer.json().path("detail").asText()).contains("limt: is not known; did you mean limit?");
    }

    @Test
    void anUnknownQueryParameterAloneIsAnUnknownField() {
        Answer answer = server.get("/v1/reservations?page=2");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("unknown_field");
    }

    @Test
    void aTimeWithoutOffsetIsRefused() {
        server.handlers.put("listReservations", request -> {
            request.queryTime("from", java.time.ZoneOffset.UTC);
            return Future.succeededFuture(ApiReply.noContent());
        });

        Answer answer = server.get("/v1/reservations?from=2026-12-20T00:00:00");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.errors()).containsExactly("from format");
    }

    @Test
    void everyBadMemberOfABodyIsNamedOnce() {
        Answer answer = book("""
                {"gpu": {"model": "", "count": 0, "keep": "tape", "vram": 80}, "durration": "P5D", "title": 7,
                 "security": "yes", "share": 2.5, "hosts": [{"model": "A100", "count": "8"}, 5], "wait": 3}""");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.code()).isEqualTo("invalid_request");
        assertThat(answer.errors())
                .containsExactlyInAnyOrder(
                        "gpu.model min_length",
                        "gpu.count minimum",
                        "gpu.keep enum",
                        "gpu.vram unknown_field",
                        "durration unknown_field",
                        "start required",
                        "title type",
                        "security type",
                        "share maximum",
                        "hosts[0].count type",
                        "hosts[1] type",
                        "wait one_of");
        assertThat(answer.json().path("detail").asText())
                .contains("gpu.count: must be at least 1")
                .contains("durration: is not known; did you mean duration?")
                .contains("hosts[0].count: must be a whole number");
        assertThat(answer.json().path("detailZh").asText()).contains("gpu.count：不得小于 1");
    }

    @Test
    void aMisspeltMemberAloneIsAnUnknownField() {
        Answer answer = book(BOOKING.replace("duration", "durration"));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("unknown_field");
        assertThat(answer.errors()).containsExactly("durration unknown_field");
        assertThat(answer.json().path("detail").asText()).isEqualTo("durration: is not known; did you mean duration?");
        assertThat(answer.json().path("detailZh").asText()).isEqualTo("durration：未知，是否应为 duration？");
        assertThat(answer.json().path("type").asText()).isEqualTo("urn:gpu-broker:problem:unknown_field");
    }

    @Test
    void countsThatAreNoCountsAreRefused() {
        for (String count : List.of("0", "-1", "1.5", "\"8\"", "null", "true", "1025", "99999999999", "1e999999999")) {
            Answer answer = book(BOOKING.replace("8}", count + "}"));

            assertThat(answer.status()).as(count).isEqualTo(400);
            assertThat(answer.json().path("errors").path(0).path("field").asText())
                    .as(count)
                    .isEqualTo("gpu.count");
        }
    }

    @Test
    void whatIsNotJsonIsRefusedAndNeverReachesAHandler() {
        server.handlers.put("bookReservation", request -> {
            throw new AssertionError("reached");
        });
        for (String body :
                List.of("{", "", "nothing", "{} {}", "{\"gpu\":1,\"gpu\":2}", "[1,]", "{\"a\":\"\\u0000\"}")) {
            Answer answer = book(body);

            assertThat(answer.status()).as(body).isEqualTo(400);
            assertThat(answer.code()).as(body).isEqualTo("invalid_request");
        }
    }

    @Test
    void aStringThatADatabaseCannotKeepIsRefused() {
        assertThat(book("{\"gpu\": {\"model\": \"A\\u0000\", \"count\": 8}}").errors())
                .containsExactly("gpu.model characters");
        assertThat(book("{\"gpu\": {\"model\": \"\\ud800\", \"count\": 8}}").errors())
                .containsExactly("gpu.model characters");
        assertThat(server.get("/v1/reservations/a%00b").status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\\u202e", "\\u2066", "\\u200f", "\\u200b", "\\u200d", "\\ufeff", "\\u00ad", "\\u2028", "\\u3164",
                "\\u0007", "\\u0085", "\\t", "\\n"
            })
    void aCharacterThatCannotBeSeenIsRefusedWhereverPeopleWouldReadIt(String unseen) {
        assertThat(book(withMember("\"title\": \"a" + unseen + "b\"")).errors()).containsExactly("title characters");
        assertThat(book(withMember("\"labels\": {\"hook\": \"a" + unseen + "b\"}"))
                        .errors())
                .containsExactly("labels.hook characters");
        assertThat(book(withMember("\"labels\": {\"a" + unseen + "b\": \"x\"}")).errors())
                .containsExactly("labels characters");
    }

    @Test
    void theErrorSaysWhichCharacterItIsAndWhere() {
        Answer answer = book(withMember("\"title\": \"gpu\\u202e4\""));

        assertThat(answer.json().path("detail").asText())
                .isEqualTo("title: has U+202E at character 4, which cannot be seen; leave it out.");
        assertThat(answer.json().path("detailZh").asText()).isEqualTo("title：第 4 个字符 U+202E 不可见，请去掉。");
    }

    @Test
    void whatIsWrittenInSeveralLinesOrRunIsTakenAsItIs() {
        assertThat(book(withMember("\"note\": \"one\\n\\ttwo\"")).status()).isEqualTo(200);
        assertThat(book(withMember("\"note\": \"one\\u202etwo\"")).errors()).containsExactly("note characters");
        assertThat(book(withMember("\"atEnd\": {\"hook\": \"#!\\n\\u202e\"}")).status())
                .isEqualTo(200);
        assertThat(book(withMember("\"title\": \" 甲乙 👩‍👧 é\"")).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32"})
    void aBodyInAnotherEncodingThanUtf8IsRefusedWithWhatToDo(String encoding) {
        byte[] wide = BOOKING.getBytes(Charset.forName(encoding));

        Answer unsaid = server.sendBytes("/v1/reservations", wide, "application/json");
        Answer said = server.sendBytes("/v1/reservations", wide, "application/json; charset=" + encoding);

        assertThat(unsaid.status()).isEqualTo(400);
        assertThat(unsaid.json().path("detail").asText()).isEqualTo("body: is not UTF-8; send JSON in UTF-8.");
        assertThat(said.status()).isEqualTo(415);
        assertThat(said.json().path("detail").asText()).contains("charset=utf-8");
    }

    @Test
    void utf8MaySayThatItIsAndMayHaveItsMark() {
        byte[] marked = ("\uFEFF" + BOOKING).getBytes(UTF_8);
        byte[] latin = BOOKING.replace("A100", "é").getBytes(ISO_8859_1);

        assertThat(server.sendBytes("/v1/reservations", marked, "application/json; Charset=\"UTF-8\"")
                        .status())
                .isEqualTo(200);
        assertThat(server.sendBytes("/v1/reservations", latin, "application/json")
                        .status())
                .isEqualTo(400);
    }

    private static String withMember(String member) {
        return BOOKING.replace("}, ", "}, " + member + ", ");
    }

    @Test
    void lengthIsCountedInCharactersNotInHalves() {
        String phones = "📞".repeat(20);

        assertThat(book(BOOKING.replace("}, ", "}, \"title\": \"" + phones + "\", "))
                        .status())
                .isEqualTo(200);
        assertThat(book(BOOKING.replace("}, ", "}, \"title\": \"" + phones + "!\", "))
                        .errors())
                .containsExactly("title max_length");
    }

    @Test
    void aBodyTypeThatVertxDoesNotKnowIsCheckedAllTheSame() {
        String[] headers = {"Content-Type", "application/merge-patch+json"};

        assertThat(server.send("PATCH", "/v1/reservations/r", "{\"title\": \"x\"}", headers)
                        .status())
                .isEqualTo(200);
        assertThat(server.send("PATCH", "/v1/reservations/r", "{}", headers).errors())
                .containsExactly(" min_properties");
        assertThat(server.send("PATCH", "/v1/reservations/r", "{}", "Content-Type", "application/json")
                        .status())
                .isEqualTo(415);
    }

    @Test
    void anOperationWithoutABodyTakesNoneOrAnEmptyObject() {
        assertThat(server.send("POST", "/v1/purchases/pause", null).status()).isEqualTo(200);
        assertThat(server.post("/v1/purchases/pause", "{}").status()).isEqualTo(200);
        assertThat(server.post("/v1/purchases/pause", "{\"why\": 1}").errors()).containsExactly("why unknown_field");
    }

    private Answer book(String body) {
        return server.post(
                "/v1/reservations", body, "Idempotency-Key", "key-" + keys.entries.size() + "-" + body.hashCode());
    }
}
