package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one team sees of another, and what a token may spend, from outside: over HTTP, on the whole broker. */
class AccessScenarioTest {
    @TempDir
    Path data;

    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() throws Exception {
        database = TestDatabase.create();
        broker = new RunningBroker(database, data);
        broker.walkTo("2026-11-01T10:00:00+08:00");
        made("/v1/teams", "{\"id\":\"vision\",\"name\":\"Vision\"}");
        made("/v1/teams", "{\"id\":\"speech\",\"name\":\"Speech\"}");
    }

    @AfterEach
    void stop() {
        broker.close();
        database.close();
    }

    private JsonNode made(String path, String body) {
        Answer answer = broker.call("POST", path, body);
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(201);
        return answer.body();
    }

    private String token(String team, String scopes, String more) {
        return made(
                        "/v1/tokens",
                        "{\"name\":\"of %s\",\"team\":\"%s\",\"scopes\":[%s]%s}".formatted(team, team, scopes, more))
                .get("secret")
                .asText();
    }

    private Answer book(String token, String body) {
        return broker.callAs(
                token,
                "POST",
                "/v1/reservations",
                body,
                "Idempotency-Key",
                UUID.randomUUID().toString());
    }

    private static String a100(int day, String more) {
        return """
                {"gpu":{"model":"A100","count":8},"start":"2026-11-%02dT00:00:00+08:00","duration":"PT10H",
                 "constraints":{"platforms":["aliyun"]},"substitution":{"mode":"never"}%s}""".formatted(day, more);
    }

    private static String cap(String booking, String day) {
        return """
                ,"cap":{"perBooking":{"amount":"%s","currency":"CNY"},"perDay":{"amount":"%s","currency":"CNY"}}""".formatted(booking, day);
    }

    private static BigDecimal bound(Answer booked) {
        return new BigDecimal(booked.body().at("/quote/cap/amount").asText());
    }

    private static String code(Answer answer) {
        return answer.body().path("code").asText();
    }

    // ---- T-01, T-02 ---------------------------------------------------------------------------------------------

    @Test
    void whatBelongsToOneTeamDoesNotExistForAnother() {
        String vision = token("vision", "\"book\"", "");
        String visionAdmin = token("vision", "\"admin\"", "");
        String speech = token("speech", "\"book\",\"lease\"", "");
        Answer booked = book(vision, a100(20, ""));
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        String id = booked.body().get("id").asText();
        Answer pool = broker.callAs(
                visionAdmin,
                "POST",
                "/v1/pools",
                "{\"name\":\"secret lab\",\"model\":\"A100-SXM4-80GB\",\"gpusPerNode\":8,\"nodes\":1}");
        String poolId = pool.body().get("id").asText();
        Answer quoted = broker.callAs(vision, "POST", "/v1/quotes", a100(21, ""));
        String quoteId = quoted.body().at("/plans/0/quoteId").asText();

        for (String path : List.of("", "/events")) {
            assertThat(broker.callAs(speech, "GET", "/v1/reservations/" + id + path, null)
                            .status())
                    .isEqualTo(404);
        }
        for (String path : List.of("/cancel", "/cancellation-quotes", "/accept", "/decline")) {
            Answer refused = broker.callAs(
                    speech,
                    "POST",
                    "/v1/reservations/" + id + path,
                    path.equals("/cancellation-quotes") ? null : "{}",
                    "Idempotency-Key",
                    UUID.randomUUID().toString());
            assertThat(refused.status()).as(path).isEqualTo(404);
        }
        assertThat(broker.callAs(
                                speech,
                                "PATCH",
                                "/v1/reservations/" + id,
                                "{\"title\":\"mine\"}",
                                "If-Match",
                                "\"1\"",
                                "Idempotency-Key",
                                "k")
                        .status())
                .isEqualTo(404);
        assertThat(broker.callAs(speech, "GET", "/v1/pools/" + poolId, null).status())
                .isEqualTo(404);
        assertThat(broker.callAs(speech, "GET", "/v1/pools/" + poolId + "/outages", null)
                        .status())
                .isEqualTo(404);
        assertThat(broker.callAs(speech, "GET", "/v1/pools/secret%20lab/outages", null)
                        .status())
                .isEqualTo(404);
        assertThat(code(book(speech, "{\"quoteId\":\"" + quoteId + "\"}"))).isEqualTo("quote_not_found");

        String seen = List.of(
                        "/v1/reservations",
                        "/v1/reservations?team=vision",
                        "/v1/calendar?from=2026-11-01&to=2026-12-01",
                        "/v1/calendar?from=2026-11-01&to=2026-12-01&groupBy=pool",
                        "/v1/pools",
                        "/v1/availability?model=A100",
                        "/v1/status")
                .stream()
                .map(path -> broker.callAs(speech, "GET", path, null).body().toString())
                .reduce("", String::concat);
        assertThat(seen).doesNotContain(id).doesNotContain("secret lab").doesNotContain(poolId);
        assertThat(broker.callAs(speech, "GET", "/v1/status", null).body().get("reservations"))
                .isEmpty();
        assertThat(broker.callAs(vision, "GET", "/v1/status", null)
                        .body()
                        .get("queued")
                        .asInt())
                .isEqualTo(1);
        assertThat(broker.callAs(vision, "GET", "/v1/reservations/" + id, null)
                        .body()
                        .get("owner")
                        .asText())
                .isEqualTo("of vision");
    }

    /** T-11. */
    @Test
    void aPoolMayBeCalledAnything() {
        String name = "a/b c'd%25 ä";
        JsonNode pool = made(
                "/v1/pools", "{\"name\":\"" + name + "\",\"model\":\"A100-SXM4-80GB\",\"gpusPerNode\":8,\"nodes\":1}");
        String encoded = java.net.URLEncoder.encode(name, java.nio.charset.StandardCharsets.UTF_8)
                .replace("+", "%20");

        assertThat(broker.call("GET", "/v1/pools/" + encoded + "/outages", null).status())
                .isEqualTo(200);
        assertThat(broker.get("/v1/pools/" + pool.get("id").asText())
                        .get("name")
                        .asText())
                .isEqualTo(name);
        assertThat(broker.get("/v1/calendar?from=2026-11-01&to=2026-12-01&groupBy=pool")
                        .toString())
                .contains(name);
    }

    // ---- caps ---------------------------------------------------------------------------------------------------

    @Test
    void oneBookingCostsNoMoreThanItsTokenAllows() {
        Answer free = book(token("vision", "\"book\"", ""), a100(20, ""));
        BigDecimal most = bound(free);

        Answer within = book(token("vision", "\"book\"", cap(most.toPlainString(), "100000")), a100(20, ""));
        assertThat(within.status()).as("%s", within.body()).isEqualTo(201);

        String tight = token(
                "vision", "\"book\"", cap(most.subtract(new BigDecimal("0.01")).toPlainString(), "100000"));
        Answer beyond = book(tight, a100(20, ""));
        assertThat(beyond.status()).isEqualTo(403);
        assertThat(code(beyond)).isEqualTo("cap_exceeded");
        assertThat(beyond.body().at("/cap/perDay/amount").asText()).isEqualTo("100000.00");
        Answer limited = book(tight, a100(20, ",\"maxTotal\":{\"amount\":\"3000.00\",\"currency\":\"CNY\"}"));
        assertThat(limited.status()).as("%s", limited.body()).isEqualTo(201);
        Answer foreign = book(tight, a100(20, ",\"maxTotal\":{\"amount\":\"10.00\",\"currency\":\"USD\"}"));
        assertThat(code(foreign)).isEqualTo("cap_exceeded");
        assertThat(broker.callAs(tight, "GET", "/v1/reservations", null).body().get("items"))
                .hasSize(3); // What was refused is not stored.
    }

    @Test
    void whatIsOnlyProposedCountsWhenItIsAccepted() {
        String token = token("vision", "\"book\"", cap("40000", "40000"));

        Answer booked = book(token, "{\"phrase\":\"8×A100 for 5 days from the 20th\"}");

        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        Answer automatic = book(token, """
                {"gpu":{"model":"A100","count":8},"start":"2026-11-20T00:00:00+08:00","duration":"PT10H",
                 "substitution":{"mode":"auto"}}""");
        assertThat(code(automatic)).as("%s", automatic.body()).isEqualTo("cap_exceeded");
    }

    @Test
    void theBookingsOfADayShareWhatTheTokenAllows() {
        BigDecimal most = bound(book(token("vision", "\"book\"", ""), a100(20, "")));
        String two = token(
                "vision",
                "\"book\"",
                cap("100000", most.multiply(BigDecimal.valueOf(2)).toPlainString()));

        List<CompletableFuture<Integer>> asked = IntStream.range(0, 5)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> book(two, a100(20, "")).status()))
                .toList();
        assertThat(asked.stream().map(CompletableFuture::join).sorted().toList())
                .containsExactly(201, 201, 403, 403, 403);

        broker.walkTo("2026-11-02T10:00:00+08:00");
        assertThat(book(two, a100(20, "")).status()).isEqualTo(201);
    }

    @Test
    void extendingCountsTooAndCancellingIsAlwaysAllowed() {
        BigDecimal most = bound(book(token("vision", "\"book\"", ""), a100(20, "")));
        String tight = token("vision", "\"book\"", cap(most.toPlainString(), most.toPlainString()));
        JsonNode booked = book(tight, a100(20, "")).body();
        String path = "/v1/reservations/" + booked.get("id").asText();

        Answer longer = broker.callAs(
                tight,
                "PATCH",
                path,
                "{\"end\":\"2026-11-20T20:00:00+08:00\"}",
                "If-Match",
                "\"" + booked.get("version").asText() + "\"",
                "Idempotency-Key",
                "longer");
        assertThat(code(longer)).as("%s", longer.body()).isEqualTo("cap_exceeded");
        assertThat(broker.callAs(tight, "GET", path, null)
                        .body()
                        .at("/request/end")
                        .asText())
                .isEqualTo("2026-11-20T10:00:00+08:00");

        Answer titled = broker.callAs(
                tight,
                "PATCH",
                path,
                "{\"title\":\"run 7\"}",
                "If-Match",
                "\"" + booked.get("version").asText() + "\"",
                "Idempotency-Key",
                "titled");
        assertThat(titled.status()).as("%s", titled.body()).isEqualTo(200);
        assertThat(broker.callAs(tight, "POST", path + "/cancel", "{}").status())
                .isEqualTo(200);
    }
}
