package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.BrokerMain;
import dev.gpubroker.broker.config.DatabaseUrl;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.http.Sentences;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/** The whole broker on a database of its own, with simulators behind it and a clock that the test moves; spoken to over HTTP. */
final class RunningBroker implements AutoCloseable {
    private static final String TOKEN = "scenario-token-0123456789abcdef";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final TestDatabase database;
    private final Path data;
    private final String settings;
    private BrokerMain broker;

    RunningBroker(TestDatabase database, Path data) throws TimeoutException {
        this(database, data, "");
    }

    /** @param settings the lines of its settings file */
    RunningBroker(TestDatabase database, Path data, String settings) throws TimeoutException {
        this.settings = settings;
        this.database = database;
        this.data = data;
        this.broker = start();
    }

    private BrokerMain start() throws TimeoutException {
        DatabaseUrl url = database.url();
        Map<String, String> environment = new HashMap<>();
        environment.put(
                "GPU_BROKER_DATABASE_URL",
                "postgresql://" + url.user() + ":" + url.password().value() + "@" + url.host() + ":" + url.port() + "/"
                        + url.database());
        environment.put("GPU_BROKER_DATA", data.toString());
        environment.put("GPU_BROKER_PORT", "0");
        environment.put("GPU_BROKER_SIMULATORS", "true");
        environment.put("GPU_BROKER_DEMO_CLOCK", "true");
        environment.put("GPU_BROKER_TIME_ZONE", "Asia/Shanghai");
        environment.put("GPU_BROKER_ADMIN_TOKEN", TOKEN);
        Settings loaded = Settings.load(settingsFile(), environment);
        return BrokerMain.start(loaded, () -> loaded);
    }

    private Path settingsFile() {
        if (settings.isEmpty()) {
            return null;
        }
        try {
            return Files.writeString(data.resolve("gpu-broker.yaml"), settings);
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }

    /** Another process would find the same database. */
    void restart() throws TimeoutException {
        broker.close();
        broker = start();
    }

    /** Business time goes on while no broker runs. */
    void restartAfter(Duration down) throws TimeoutException {
        broker.close();
        database.execute("UPDATE demo_clock SET offset_micros = offset_micros + " + down.toMillis() * 1000);
        broker = start();
    }

    @Override
    public void close() {
        broker.close();
    }

    /** What a client needs to know, as variables of its environment. */
    Map<String, String> forClients() {
        return Map.of("GPU_BROKER_URL", "http://127.0.0.1:" + broker.port(), "GPU_BROKER_TOKEN", TOKEN);
    }

    // ---- the API --------------------------------------------------------------------------------------

    record Answer(int status, JsonNode body) {}

    Answer call(String method, String path, String body, String... headers) {
        return send(URI.create("http://127.0.0.1:" + broker.port() + path), method, body, headers);
    }

    /** The lines of a stream as they come. */
    BufferedReader stream(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + broker.port() + path))
                .header("Authorization", "Bearer " + TOKEN)
                .header("Accept", "text/event-stream")
                .header("Accept-Encoding", "gzip")
                .build();
        HttpResponse<InputStream> answer = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/event-stream; charset=utf-8");
        return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    }

    /** As the holder of another token than the administrator's. */
    Answer callAs(String token, String method, String path, String body, String... headers) {
        return sendAs(URI.create("http://127.0.0.1:" + broker.port() + path), token, method, body, headers);
    }

    /** Without a token, as a machine calls. */
    Answer anonymously(String method, String path, String body) {
        return sendAs(URI.create("http://127.0.0.1:" + broker.port() + path), null, method, body);
    }

    JsonNode get(String path) {
        Answer answer = call("GET", path, null);
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(200);
        return answer.body();
    }

    Answer book(String body) {
        return call(
                "POST",
                "/v1/reservations",
                body,
                "Idempotency-Key",
                UUID.randomUUID().toString());
    }

    /** Changes a reservation as it stands now, with a key of its own. */
    Answer change(JsonNode booked, String body) {
        return change(booked, reservation(booked).get("version").asLong(), body);
    }

    Answer change(JsonNode booked, long version, String body) {
        return call(
                "PATCH",
                "/v1/reservations/" + booked.get("id").asText(),
                body,
                "If-Match",
                "\"" + version + "\"",
                "Idempotency-Key",
                UUID.randomUUID().toString());
    }

    Answer cancel(JsonNode booked) {
        return call("POST", "/v1/reservations/" + booked.get("id").asText() + "/cancel", "{}");
    }

    JsonNode reservation(JsonNode booked) {
        return get("/v1/reservations/" + booked.get("id").asText());
    }

    List<String> states(JsonNode booked) {
        List<String> states = new ArrayList<>();
        get("/v1/reservations/" + booked.get("id").asText() + "/events?limit=200")
                .get("items")
                .forEach(event -> {
                    if (event.get("after").has("state")) {
                        states.add(event.get("after").get("state").asText());
                    }
                });
        return states;
    }

    /** Why each of its events happened, oldest first. */
    List<String> reasons(JsonNode booked) {
        List<String> reasons = new ArrayList<>();
        get("/v1/reservations/" + booked.get("id").asText() + "/events?limit=200")
                .get("items")
                .forEach(event -> reasons.add(event.get("why").asText()));
        return reasons;
    }

    void walkTo(String time) {
        Answer answer = call("POST", "/v1/demo/clock", "{\"set\":\"" + time + "\"}");
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(200);
    }

    // ---- the simulators -------------------------------------------------------------------------------

    void stock(String platform, String model, int gpusPerNode, int nodes) {
        String body = JSON.createObjectNode()
                .put("model", model)
                .put("gpusPerNode", gpusPerNode)
                .put("nodes", nodes)
                .toString();
        assertThat(control("PUT", "/" + platform + "/stock", body).status()).isEqualTo(200);
    }

    /** @param hourly per machine */
    void price(String platform, String model, int gpusPerNode, String hourly) {
        String body = JSON.createObjectNode()
                .put("model", model)
                .put("gpusPerNode", gpusPerNode)
                .put("hourly", hourly)
                .toString();
        assertThat(control("PUT", "/" + platform + "/prices", body).status()).isEqualTo(200);
    }

    /** Lets the platform's machines be an SSH server on that port. */
    void access(String platform, int port) {
        assertThat(control("PUT", "/" + platform + "/access", "{\"port\":" + port + "}")
                        .status())
                .isEqualTo(200);
    }

    void fault(String platform, String operation, String kind, long delayMs) {
        ObjectNode body = JSON.createObjectNode()
                .put("operation", operation)
                .put("kind", kind)
                .put("times", 1)
                .put("delayMs", delayMs);
        assertThat(control("POST", "/" + platform + "/faults", body.toString()).status())
                .isEqualTo(201);
    }

    JsonNode machines(String platform) {
        return control("GET", "/" + platform + "/instances", null).body();
    }

    long machinesLeft() {
        long left = 0;
        for (JsonNode platform : control("GET", "", null).body()) {
            for (JsonNode machine : machines(platform.get("platform").asText())) {
                left += machine.get("releasedAt").isNull() ? 1 : 0;
            }
        }
        return left;
    }

    private Answer control(String method, String path, String body) {
        return send(URI.create(broker.simulatorControl() + "/_sim" + path), method, body);
    }

    private Answer send(URI uri, String method, String body, String... headers) {
        return sendAs(uri, TOKEN, method, body, headers);
    }

    private Answer sendAs(URI uri, String token, String method, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            JsonNode answer = response.body().isEmpty() ? JSON.nullNode() : JSON.readTree(response.body());
            Sentences.check(answer);
            return new Answer(response.statusCode(), answer);
        } catch (Exception fault) {
            throw new AssertionError(method + " " + uri, fault);
        }
    }
}
