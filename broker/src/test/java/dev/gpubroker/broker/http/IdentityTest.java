package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.http.TestServer.Answer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // The server is made before the first test.
class IdentityTest {
    private TestServer server;

    @BeforeAll
    void start() {
        server = new TestServer(new MemoryIdempotencyStore(), List.of());
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Test
    void withoutATokenNothingUnderV1CanBeSeen() {
        for (String path : List.of("/v1/reservations", "/v1/reservations/r", "/v1/nothing")) {
            Answer answer = server.get(path, "Authorization", "");

            assertThat(answer.status()).as(path).isEqualTo(401);
            assertThat(answer.code()).isEqualTo("unauthorized");
            assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer");
            assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        }
    }

    @Test
    void anInvalidTokenNeverSucceeds() {
        List<String> invalid = List.of(
                "Bearer wrong",
                "Bearer " + TestServer.TOKEN + "x",
                "Bearer " + TestServer.TOKEN.substring(1),
                "Bearer",
                "Bearer  ",
                "Basic " + TestServer.TOKEN,
                TestServer.TOKEN,
                "Bearer " + TestServer.TOKEN + " " + TestServer.TOKEN);
        for (String authorization : invalid) {
            for (String method : List.of("GET", "POST", "PATCH", "DELETE", "OPTIONS", "HEAD")) {
                for (String path : List.of("/v1/reservations", "/v1/reservations/r", "/v1/purchases/pause")) {
                    Answer answer = server.send(method, path, null, "Authorization", authorization);

                    assertThat(answer.status())
                            .as("%s %s with %s", method, path, authorization)
                            .isEqualTo(401);
                    assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
                }
            }
        }
    }

    @Test
    void aTokenIsLookedAtBeforeTheBody() {
        assertThat(server.post("/v1/reservations", "{", "Authorization", "Bearer wrong")
                        .status())
                .isEqualTo(401);
    }

    @Test
    void theSchemeMayBeWrittenInAnyCase() {
        assertThat(server.get("/v1/reservations", "Authorization", "bearer " + TestServer.TOKEN)
                        .status())
                .isEqualTo(200);
    }

    @Test
    void probesAndPagesNeedNoToken() {
        for (String path :
                List.of("/healthz", "/readyz", "/docs", "/openapi.yaml", "/webjars/swagger-ui/swagger-ui.css")) {
            assertThat(server.get(path, "Authorization", "").status()).as(path).isEqualTo(200);
        }
    }

    @Test
    void anEmptyAdminTokenIsNoToken() {
        assertThatThrownBy(() -> new AdminTokenAuthenticator(" ", TestServer.ADMIN))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
