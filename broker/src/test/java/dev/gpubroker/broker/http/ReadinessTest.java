package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.http.TestServer.Answer;
import io.vertx.core.Future;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadinessTest {
    @Test
    void readyWhileEveryCheckPasses() {
        Readiness.Check database = new Readiness.Check("database", () -> Future.succeededFuture(1));
        try (TestServer server = new TestServer(new MemoryIdempotencyStore(), List.of(database))) {
            assertThat(server.get("/healthz", "Authorization", "").body()).isEqualTo("{\"status\":\"up\"}");
            assertThat(server.get("/readyz", "Authorization", "").body())
                    .isEqualTo("{\"ready\":true,\"checks\":[{\"name\":\"database\",\"ok\":true,\"detail\":\"ok\"}]}");
        }
    }

    @Test
    void notReadyNamesWhatFailedAndTellsNoMore() {
        Readiness.Check database = new Readiness.Check("database", () -> Future.succeededFuture());
        Readiness.Check simulators =
                new Readiness.Check("simulators", () -> Future.failedFuture("password of 10.0.0.7 refused"));
        Readiness.Check broken = new Readiness.Check("broken", () -> {
            throw new IllegalStateException("oops");
        });
        try (TestServer server = new TestServer(new MemoryIdempotencyStore(), List.of(database, simulators, broken))) {
            Answer answer = server.get("/readyz");

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.json().path("ready").asBoolean()).isFalse();
            assertThat(answer.json().findValuesAsText("ok")).containsExactly("true", "false", "false");
            assertThat(answer.body()).doesNotContain("password", "oops");
            assertThat(server.get("/healthz").status()).isEqualTo(200);
        }
    }
}
