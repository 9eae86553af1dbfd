package dev.gpubroker.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gpubroker.simulator.aliyun.AliyunSimulatorFactory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the control answers to what cannot be meant. */
@TestInstance(Lifecycle.PER_CLASS)
final class SimulatorControlTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client = HttpClient.newHttpClient();
    private int port;

    @BeforeAll
    void start() throws TimeoutException {
        SimEnvironment environment =
                new SimEnvironment(SimStore.inMemory(), () -> Instant.parse("2026-11-01T00:00:00Z"), Instant::now);
        SimulatorServer aliyun = await(SimulatorServer.start(vertx, new AliyunSimulatorFactory().create(environment)));
        port = await(SimulatorControl.start(vertx, List.of(aliyun), 0)).port();
    }

    @AfterAll
    void stop() throws TimeoutException {
        await(vertx.close());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0.00", "-1", "-0.01", "+5", "1e3", "12,50", "x", ".5", "1."})
    void aPriceThatNoPlatformCouldAskIsRefused(String hourly) throws Exception {
        HttpResponse<String> answer =
                put("aliyun/prices", "{\"model\":\"A100\",\"gpusPerNode\":8,\"hourly\":\"" + hourly + "\"}");

        JsonNode problem = problem(answer, 400, "invalid_request");
        assertThat(problem.path("detail").asText()).contains("hourly").contains("above zero");
    }

    @Test
    void anAbsurdlyLowPriceIsTaken() throws Exception {
        assertThat(put("aliyun/prices", "{\"model\":\"A100\",\"gpusPerNode\":8,\"hourly\":\"0.01\"}")
                        .statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{",
                "{\"model\":\"A100\",\"gpusPerNode\":8}",
                "{\"model\":\"A100\",\"gpusPerNode\":0,\"nodes\":1}",
                "{\"model\":\"A100\",\"gpusPerNode\":8,\"nodes\":-1}",
                "{\"model\":\"\",\"gpusPerNode\":8,\"nodes\":1}"
            })
    void aBodyThatCannotBeMeantIsABadRequest(String body) throws Exception {
        problem(put("aliyun/stock", body), 400, "invalid_request");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\":\"H800\",\"gpusPerNode\":8,\"nodes\":1}",
                "{\"model\":\"A100\",\"gpusPerNode\":3,\"nodes\":1}"
            })
    void aModelOrShapeThatIsNotSoldIsSaidWithWhatIs(String body) throws Exception {
        JsonNode problem = problem(put("aliyun/stock", body), 422, "not_sold");

        assertThat(problem.path("detail").asText())
                .contains("aliyun does not sell")
                .contains("A100");
    }

    @Test
    void anUnknownFaultOrPlatformIsNamedWithThoseThatAreKnown() throws Exception {
        HttpResponse<String> fault =
                send("POST", "aliyun/faults", "{\"operation\":\"claim\",\"kind\":\"explode\",\"times\":1}");

        assertThat(problem(fault, 400, "invalid_request").path("detail").asText())
                .contains("lose_reply");
        assertThat(problem(put("aliyn/stock", "{}"), 404, "not_found")
                        .path("detail")
                        .asText())
                .contains("aliyun");
        problem(send("DELETE", "aliyun/stock", ""), 405, "method_not_allowed");
    }

    /** The problem, complete in both languages. */
    private static JsonNode problem(HttpResponse<String> answer, int status, String code) throws IOException {
        JsonNode problem = JSON.readTree(answer.body());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
        assertThat(problem.path("type").asText()).isEqualTo("urn:gpu-broker:problem:" + code);
        assertThat(problem.path("code").asText()).isEqualTo(code);
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("title").asText()).isNotBlank();
        assertThat(problem.path("detail").asText()).endsWith(".");
        assertThat(problem.path("detailZh").asText()).endsWith("。");
        return problem;
    }

    private HttpResponse<String> put(String path, String body) throws IOException, InterruptedException {
        return send("PUT", path, body);
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        URI url = URI.create("http://127.0.0.1:" + port + "/_sim/" + path);
        return client.send(
                HttpRequest.newBuilder(url)
                        .method(method, BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private static <T> T await(Future<T> future) throws TimeoutException {
        return future.await(30, TimeUnit.SECONDS);
    }
}
