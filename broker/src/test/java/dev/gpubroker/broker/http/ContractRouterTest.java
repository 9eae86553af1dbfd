package dev.gpubroker.broker.http;

import static dev.gpubroker.broker.http.TestServer.BOOKING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.http.TestServer.Answer;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // The server is made before the first test.
class ContractRouterTest {
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
    void anOperationIsAnsweredByItsHandler() {
        server.handlers.put(
                "readReservation",
                request -> Future.succeededFuture(ApiReply.ok(Map.of(
                                "id",
                                request.path("id"),
                                "team",
                                request.caller().team()))
                        .withHeader("ETag", "\"3\"")));

        Answer answer = server.get("/v1/reservations/rsv_1%2F%E4%B8%AD");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("id").asText()).isEqualTo("rsv_1/中");
        assertThat(answer.json().path("team").asText()).isEqualTo("platform");
        assertThat(answer.header("ETag")).isEqualTo("\"3\"");
        assertThat(answer.header("Content-Type")).isEqualTo("application/json");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
    }

    @Test
    void queryParametersComeTypedAndWithTheContractsDefaults() {
        BlockingQueue<ApiRequest> seen = new LinkedBlockingQueue<>();
        server.handlers.put("listReservations", request -> {
            seen.add(request);
            return Future.succeededFuture(ApiReply.noContent());
        });

        assertThat(server.get("/v1/reservations?exact=true&state=queued,active&from=2026-12-20T00:00:00%2B08:00")
                        .status())
                .isEqualTo(204);

        ApiRequest request = seen.remove();
        assertThat(request.queryInt("limit", 7)).isEqualTo(50);
        assertThat(request.queryList("state")).containsExactly("queued", "active");
        assertThat(request.query("cursor")).isNull();
        assertThat(request.queryTime("from", java.time.ZoneOffset.UTC)).hasToString("2026-12-19T16:00:00Z");
        assertThat(request.headers()).doesNotContainKey("authorization");
    }

    @Test
    void aWrongContentTypeIs415() {
        Answer answer =
                server.send("POST", "/v1/reservations", BOOKING, "Content-Type", "text/plain", "Idempotency-Key", "k");

        assertThat(answer.status()).isEqualTo(415);
        assertThat(answer.code()).isEqualTo("unsupported_media_type");
        assertThat(server.send("POST", "/v1/reservations", BOOKING, "Idempotency-Key", "k")
                        .status())
                .isEqualTo(415);
        assertThat(server.send(
                                "POST",
                                "/v1/reservations",
                                BOOKING,
                                "Content-Type",
                                "Application/JSON; charset=utf-8",
                                "Idempotency-Key",
                                "k")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aBodyBeyondTheLimitIs413() {
        Answer answer = book("{\"title\": \"" + "x".repeat(300 * 1024) + "\"}");

        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.code()).isEqualTo("body_too_large");
        assertThat(book(BOOKING.replace("}, ", "}, \"x\": \"" + "x".repeat(200 * 1024) + "\", "))
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aBodyOfUnknownLengthBeyondTheLimitIs413() throws IOException {
        String chunk = Integer.toHexString(64 * 1024) + "\r\n" + " ".repeat(64 * 1024) + "\r\n";

        assertThat(raw("POST /v1/reservations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestServer.TOKEN
                        + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk.repeat(5)))
                .startsWith("HTTP/1.1 413 ");
    }

    @Test
    void aWrongMethodIs405AndSaysWhichAreRight() {
        Answer answer = server.send("PUT", "/v1/reservations", "{}");

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.code()).isEqualTo("method_not_allowed");
        assertThat(answer.header("Allow")).isEqualTo("GET, POST");
        assertThat(server.send("DELETE", "/healthz", null).header("Allow")).isEqualTo("GET");
    }

    @Test
    void anUnknownAddressIs404() {
        for (String path : List.of("/v1/nothing", "/nothing", "/v1/reservations/a/b/c", "/v1", "/..%2fpom.xml")) {
            Answer answer = server.get(path);

            assertThat(answer.status()).as(path).isEqualTo(404);
            assertThat(answer.code()).as(path).isEqualTo("not_found");
            assertThat(answer.header("Content-Type")).as(path).isEqualTo("application/problem+json");
        }
    }

    @Test
    void whatIsHardlyHttpGetsAProblemToo() throws IOException {
        assertThat(raw("GET /v1/reservations/%zz HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestServer.TOKEN
                        + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ")
                .contains("application/problem+json");
        assertThat(raw("GET /v1/reservations?limit=%zz HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TestServer.TOKEN
                        + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ")
                .contains("application/problem+json");
        assertThat(raw("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
                .matches("(?s)HTTP/1.[01] 414 .*")
                .contains("uri_too_long");
        assertThat(raw("GET / HTTP/1.1\r\nHost: x\r\nBig: " + "x".repeat(40_000) + "\r\n\r\n"))
                .matches("(?s)HTTP/1.[01] 431 .*")
                .contains("headers_too_large");
        assertThat(raw("nonsense\r\n\r\n")).matches("(?s)HTTP/1.[01] 400 .*");
    }

    @Test
    void aRefusalCarriesEveryMemberOfItsProblem() {
        server.handlers.put("readReservation", request -> {
            throw new ApiProblem(Problem.of(409, "no_capacity", "Nothing is free.", "没有空闲资源。")
                    .with("freeWindows", List.of(Map.of("count", 8)))
                    .withHeader("Retry-After", "9"));
        });

        Answer answer = server.get("/v1/reservations/r", "X-Request-Id", "mine-1");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.header("Retry-After")).isEqualTo("9");
        assertThat(answer.json())
                .hasToString("{\"type\":\"urn:gpu-broker:problem:no_capacity\",\"title\":\"No capacity\","
                        + "\"status\":409,\"code\":\"no_capacity\",\"detail\":\"Nothing is free.\","
                        + "\"detailZh\":\"没有空闲资源。\",\"instance\":\"mine-1\",\"freeWindows\":[{\"count\":8}]}");
    }

    @Test
    void theUnexpectedIsA500ThatTellsNothingButItsRequest() {
        server.handlers.put("readReservation", request -> {
            throw new IllegalStateException("SELECT password FROM account");
        });

        Answer answer = server.get("/v1/reservations/r");

        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.code()).isEqualTo("internal_error");
        assertThat(answer.body()).doesNotContain("SELECT", "IllegalState");
        assertThat(answer.json().path("instance").asText()).startsWith("req_").isEqualTo(answer.header("X-Request-Id"));
    }

    @Test
    void aRaceThatWasLostAgainAndAgainIsA409ThatMayBeRepeated() {
        server.handlers.put(
                "readReservation",
                request -> Future.failedFuture(
                        new io.vertx.pgclient.PgException("deadlock detected", "ERROR", "40P01", "Process 1 waits")));

        Answer answer = server.get("/v1/reservations/r");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.code()).isEqualTo("lost_race");
        assertThat(answer.header("Retry-After")).isEqualTo("5");
        assertThat(answer.body()).doesNotContain("Process", "40P01");
    }

    @Test
    void aDatabaseThatIsAwayIsA503() {
        server.handlers.put(
                "readReservation", request -> Future.failedFuture(new java.net.ConnectException("refused")));

        Answer answer = server.get("/v1/reservations/r");

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.code()).isEqualTo("unavailable");
        assertThat(answer.header("Retry-After")).isNotEmpty();
        assertThat(server.get("/v1/reservations/r", "Authorization", "Bearer away")
                        .status())
                .isEqualTo(503);
    }

    @Test
    void aRequestIdIsKeptIfItIsHarmless() {
        assertThat(server.get("/healthz", "X-Request-Id", "ci-42.7_a").header("X-Request-Id"))
                .isEqualTo("ci-42.7_a");
        assertThat(server.get("/healthz", "X-Request-Id", "<b>x y</b>").header("X-Request-Id"))
                .startsWith("req_");
    }

    @Test
    void theCallersLanguageIsRead() {
        server.handlers.put(
                "readReservation", request -> Future.succeededFuture(ApiReply.ok(request.preferredLanguage())));

        assertThat(server.get("/v1/reservations/r", "Accept-Language", "zh-CN,zh;q=0.9,en;q=0.8")
                        .body())
                .isEqualTo("\"CHINESE\"");
        assertThat(server.get("/v1/reservations/r", "Accept-Language", "de, en;q=0.5")
                        .body())
                .isEqualTo("\"ENGLISH\"");
        assertThat(server.get("/v1/reservations/r", "Accept-Language", ";;;").body())
                .isEqualTo("\"ENGLISH\"");
    }

    @Test
    void routesAndContractMustAgree() {
        Contract contract = Contract.ofResource("/http/contract.yaml");
        RouteTable table = RouteTable.of(List.of(new Readiness(List.of())))
                .on("bookTable", request -> Future.succeededFuture(ApiReply.noContent()));

        assertThatThrownBy(
                        () -> new ContractRouter(contract, table, token -> Future.failedFuture("no"), keys, e -> false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("bookReservation")
                .hasMessageContaining("handlers without an operation [bookTable]");
    }

    @Test
    void anOperationCannotHaveTwoHandlers() {
        ApiHandler none = request -> Future.succeededFuture(ApiReply.noContent());
        RouteTable table = new RouteTable().on("quote", none);

        assertThatThrownBy(() -> table.on("quote", none)).isInstanceOf(IllegalArgumentException.class);
    }

    private Answer book(String body) {
        return server.post(
                "/v1/reservations", body, "Idempotency-Key", "key-" + keys.entries.size() + "-" + body.hashCode());
    }

    /** Sends bytes as they are and reads until the server closes or has nothing more to say. */
    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(10_000);
            try {
                socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) { // Refused before everything was sent, which is what some tests want.
                assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe|aborted).*");
            }
            byte[] answer = new byte[4096];
            int length = 0;
            for (int read = 0; read >= 0 && !complete(answer, length); length += Math.max(read, 0)) {
                read = socket.getInputStream().read(answer, length, answer.length - length);
            }
            return new String(answer, 0, length, StandardCharsets.UTF_8);
        }
    }

    private static boolean complete(byte[] answer, int length) {
        String text = new String(answer, 0, length, StandardCharsets.UTF_8);
        return text.contains("\r\n\r\n") && (text.endsWith("}") || text.contains("content-length: 0"));
    }
}
