package dev.gpubroker.verification.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A broker's HTTP API, or the simulators' control. Answers are told as they come, also refusals. */
public final class Api {
    public static final ObjectMapper JSON = new ObjectMapper();

    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private final URI root;
    private final String token;
    private final Duration patience;

    /**
     * @param root such as {@code http://127.0.0.1:8080}
     * @param patience after which a call counts as lost
     */
    public Api(URI root, String token, Duration patience) {
        this.root = root;
        this.token = token;
        this.patience = patience;
    }

    /** @param body null JSON where the answer had none */
    public record Answer(int status, JsonNode body) {
        public boolean isOk() {
            return status / 100 == 2;
        }

        /** The problem's code; empty where it is none. */
        public String code() {
            return body.path("code").asText("");
        }
    }

    /** @throws IOException if no answer came: whether the call took effect is not known */
    public Answer call(String method, String path, @Nullable JsonNode body, Map<String, String> headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(root.resolve(path))
                .timeout(patience)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body.toString()));
        headers.forEach(request::header);
        HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Answer(
                response.statusCode(), response.body().isEmpty() ? JSON.nullNode() : JSON.readTree(response.body()));
    }

    public Answer get(String path) throws IOException, InterruptedException {
        return call("GET", path, null, Map.of());
    }

    public Answer post(String path, @Nullable JsonNode body) throws IOException, InterruptedException {
        return call("POST", path, body, Map.of());
    }

    /** A call that books or spends; the same key and body may be sent again after a lost answer. */
    public Answer post(String path, @Nullable JsonNode body, String idempotencyKey)
            throws IOException, InterruptedException {
        return call("POST", path, body, Map.of("Idempotency-Key", idempotencyKey));
    }
}
