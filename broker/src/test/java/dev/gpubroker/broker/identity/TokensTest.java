package dev.gpubroker.broker.identity;

import static dev.gpubroker.broker.identity.IdentityServer.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.identity.IdentityServer.Answer;
import io.vertx.sqlclient.Row;
import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class TokensTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private IdentityServer server;

    @BeforeAll
    void start() throws IOException {
        server = new IdentityServer(DATABASE, false);
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @BeforeEach
    void empty() {
        DATABASE.execute(
                "DELETE FROM pool; DELETE FROM api_token; DELETE FROM audit_event; DELETE FROM team WHERE team_id <> 'default'");
        server.startAgain();
        assertThat(server.post("/v1/teams", "{\"id\":\"vision\",\"name\":\"Vision\"}")
                        .status())
                .isEqualTo(201);
    }

    private Answer make(String scopes, String more) {
        return server.post(
                "/v1/tokens", "{\"name\":\"nightly\",\"team\":\"vision\",\"scopes\":[" + scopes + "]" + more + "}");
    }

    private String secret(String scopes) {
        Answer made = make(scopes, "");
        assertThat(made.status()).as(made.body()).isEqualTo(201);
        return made.text("secret");
    }

    private static List<Row> rows(String sql) {
        return StreamSupport.stream(
                        DATABASE.database().pool().query(sql).execute().await().spliterator(), false)
                .toList();
    }

    @Test
    void theSecretIsShownOnceAndOnlyItsDigestIsStored() {
        String secret = secret("\"book\"");

        assertThat(secret).matches("gbt_[A-Za-z0-9_-]{43}");
        assertThat(server.call(ADMIN, "GET", "/v1/tokens", null).body()).doesNotContain(secret);
        String stored = rows("SELECT t::text AS t FROM api_token t UNION ALL SELECT e::text FROM audit_event e"
                        + " UNION ALL SELECT k::text FROM idempotency_key k")
                .stream()
                .map(row -> row.getString("t"))
                .collect(Collectors.joining("\n"));
        assertThat(stored)
                .doesNotContain(secret)
                .doesNotContain(secret.substring(4))
                .contains(HexFormat.of().formatHex(Secret.digestOf(secret)));
    }

    @Test
    void aTokenActsForItsTeamWithItsNameAndScopes() {
        Answer seen = server.call(secret("\"read\""), "GET", "/v1/reservations", null);

        assertThat(seen.status()).isEqualTo(200);
        assertThat(seen.text("team")).isEqualTo("vision");
        assertThat(seen.text("name")).isEqualTo("nightly");
    }

    @Test
    void aTokenWithoutTheScopeIsToldWhichItNeeds() {
        Answer refused =
                server.call(secret("\"lease\",\"read\""), "POST", "/v1/reservations", "{}", "Idempotency-Key", "k");

        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.text("code")).isEqualTo("not_allowed");
        assertThat(refused.json().get("needs")).hasToString("[\"book\"]");
        assertThat(refused.json().get("has")).hasToString("[\"lease\",\"read\"]");
    }

    @Test
    void onlyAnAdministratorMakesTokens() {
        String member = secret("\"book\",\"lease\",\"read\"");

        for (String path : List.of("/v1/tokens", "/v1/teams", "/v1/audit-events")) {
            assertThat(server.call(member, "GET", path, null).status()).as(path).isEqualTo(403);
        }
        assertThat(server.call(
                                member,
                                "POST",
                                "/v1/tokens",
                                "{\"name\":\"x\",\"team\":\"vision\",\"scopes\":[\"admin\"]}")
                        .status())
                .isEqualTo(403);
        assertThat(server.call(secret("\"admin\""), "GET", "/v1/tokens", null).status())
                .isEqualTo(200);
    }

    @Test
    void aRevokedTokenIsRefusedAtOnce() {
        Answer made = make("\"read\"", "");
        String secret = made.text("secret");
        assertThat(server.call(secret, "GET", "/v1/reservations", null).status())
                .isEqualTo(200);

        assertThat(server.call(ADMIN, "DELETE", "/v1/tokens/" + made.text("id"), null)
                        .status())
                .isEqualTo(204);

        assertThat(server.call(secret, "GET", "/v1/reservations", null).status())
                .isEqualTo(401);
        assertThat(server.call(ADMIN, "DELETE", "/v1/tokens/" + made.text("id"), null)
                        .status())
                .isEqualTo(404);
        assertThat(server.call(ADMIN, "GET", "/v1/tokens", null).json().get("items"))
                .isEmpty();
    }

    @Test
    void aTokenEndsAtItsInstant() {
        Answer made = make("\"read\"", ",\"expiresAt\":\"2026-12-01T11:00:00+08:00\"");
        String secret = made.text("secret");
        assertThat(made.text("expiresAt")).isEqualTo("2026-12-01T11:00:00+08:00");

        server.advance(Duration.ofHours(1).minusMillis(1));
        assertThat(server.call(secret, "GET", "/v1/reservations", null).status())
                .isEqualTo(200);
        server.advance(Duration.ofMillis(1));
        assertThat(server.call(secret, "GET", "/v1/reservations", null).status())
                .isEqualTo(401);
    }

    @Test
    void whatIsWrongWithATokenIsNamed() {
        assertThat(make("\"read\"", ",\"expiresAt\":\"2026-12-01T09:00:00+08:00\"")
                        .text("detail"))
                .contains("expiresAt");
        assertThat(make("\"read\"", ",\"expiresAt\":\"tomorrow\"").text("detail"))
                .contains("expiresAt");
        assertThat(make("\"read\"", ",\"cap\":" + cap("10.00", "CNY", "CNY")).text("detail"))
                .contains("cap");
        assertThat(make("\"book\"", ",\"cap\":" + cap("0.001", "CNY", "CNY")).text("detail"))
                .contains("cap.perBooking");
        assertThat(make("\"book\"", ",\"cap\":" + cap("-5", "CNY", "CNY")).text("detail"))
                .contains("cap.perBooking");
        assertThat(make("\"book\"", ",\"cap\":" + cap("5", "XYZ", "CNY")).text("detail"))
                .contains("cap.perBooking");
        assertThat(make("\"book\"", ",\"cap\":" + cap("5", "CNY", "USD")).text("detail"))
                .contains("cap.perDay.currency");
        assertThat(make("\"root\"", "").status()).isEqualTo(400);
        assertThat(server.post("/v1/tokens", "{\"name\":\"x\",\"team\":\"nobody\",\"scopes\":[\"read\"]}")
                        .text("detail"))
                .contains("no team nobody");
        assertThat(rows("SELECT 1 FROM api_token")).isEmpty();
    }

    private static String cap(String amount, String one, String other) {
        return """
                {"perBooking":{"amount":"%s","currency":"%s"},"perDay":{"amount":"100","currency":"%s"}}""".formatted(amount, one, other);
    }

    /** T-11. */
    @Test
    void namesMayHaveAnyCharacterThatCanBeSeen() {
        String name = "a/b c'd%25 \\\"e\\\" 中;--";
        Answer team = server.post("/v1/teams", "{\"id\":\"odd\",\"name\":\"" + name + "\"}");
        Answer token = server.post("/v1/tokens", "{\"name\":\"" + name + "\",\"team\":\"odd\",\"scopes\":[\"read\"]}");

        assertThat(team.status()).isEqualTo(201);
        assertThat(token.text("name")).isEqualTo("a/b c'd%25 \"e\" 中;--");
        assertThat(server.call(token.text("secret"), "GET", "/v1/reservations", null)
                        .text("name"))
                .isEqualTo("a/b c'd%25 \"e\" 中;--");
        assertThat(server.post("/v1/teams", "{\"id\":\"a/b\",\"name\":\"x\"}").status())
                .isEqualTo(400);
        assertThat(server.call(ADMIN, "DELETE", "/v1/teams/a%2Fb'%25", null).status())
                .isEqualTo(404);
        assertThat(server.call(ADMIN, "DELETE", "/v1/tokens/x'%20OR%20'1'='1", null)
                        .status())
                .isEqualTo(404);
        assertThat(make("\"read\"", "").status()).isEqualTo(201);
        assertThat(server.post("/v1/tokens", "{\"name\":\"a\\nb\",\"team\":\"odd\",\"scopes\":[\"read\"]}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aTeamToWhichSomethingBelongsStays() {
        make("\"read\"", "");

        assertThat(server.call(ADMIN, "DELETE", "/v1/teams/vision", null).text("code"))
                .isEqualTo("team_in_use");
        assertThat(server.call(ADMIN, "DELETE", "/v1/teams/default", null).text("code"))
                .isEqualTo("team_in_use");
        assertThat(server.call(ADMIN, "DELETE", "/v1/teams/nobody", null).status())
                .isEqualTo(404);
        assertThat(server.post("/v1/teams", "{\"id\":\"vision\",\"name\":\"again\"}")
                        .text("code"))
                .isEqualTo("name_taken");
        DATABASE.execute("DELETE FROM api_token");
        assertThat(server.call(ADMIN, "DELETE", "/v1/teams/vision", null).status())
                .isEqualTo(204);
    }

    @Test
    void whoMadeAndRevokedWhatIsKept() {
        Answer made = make("\"read\"", "");
        server.call(ADMIN, "DELETE", "/v1/tokens/" + made.text("id"), null);

        JsonNode events =
                server.call(ADMIN, "GET", "/v1/audit-events?limit=2", null).json();

        assertThat(events.get("items")).hasSize(2);
        assertThat(events.get("items").get(0).get("what").asText()).isEqualTo("token_revoked");
        assertThat(events.get("items").get(0).get("subject").asText()).isEqualTo(made.text("id"));
        assertThat(events.get("items").get(0).get("who").asText()).isEqualTo("admin");
        assertThat(events.get("items").get(1).get("what").asText()).isEqualTo("token_created");
        JsonNode next = server.call(
                        ADMIN,
                        "GET",
                        "/v1/audit-events?limit=2&cursor="
                                + events.get("nextCursor").asText(),
                        null)
                .json();
        assertThat(next.get("items")).hasSize(1);
        assertThat(next.get("items").get(0).get("what").asText()).isEqualTo("team_created");
        assertThat(next.get("nextCursor").isNull()).isTrue();
    }

    /** */
    @Test
    void anInvalidTokenNeverSucceedsWhateverTheCall() {
        String revoked = make("\"admin\"", "").text("secret");
        DATABASE.execute("UPDATE api_token SET revoked_at = created_at");

        assertThat(server.operations()).hasSizeGreaterThan(35);
        server.operations().forEach((id, operation) -> {
            String method = operation.substring(0, operation.indexOf(' '));
            String path = operation.substring(operation.indexOf(' ') + 1).replaceAll("\\{[^}]+}", "x");
            String body = method.equals("GET") || method.equals("DELETE") ? null : "{}";
            for (String token : List.of(revoked, "gbt_x", "gbk_x", "x", "eyJhbGciOiJub25lIn0.e30.")) {
                Answer refused = server.call(token, method, path, body, "Idempotency-Key", "k");
                assertThat(refused.status()).as("%s %s", id, token).isEqualTo(401);
                assertThat(refused.type()).isEqualTo("application/problem+json");
                assertThat(refused.text("code")).isEqualTo("unauthorized");
            }
            assertThat(server.call(null, method, path, body, "Idempotency-Key", "k")
                            .status())
                    .as(id)
                    .isEqualTo(401);
        });
    }

    @Test
    void anOidcTokenIsNoBearerTokenAndItsHolderIsToldWhatToDo() {
        assertThat(server.call("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln", "GET", "/v1/reservations", null)
                        .text("detail"))
                .contains("/v1/tickets");
    }
}
