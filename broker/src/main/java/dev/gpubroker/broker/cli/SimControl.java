package dev.gpubroker.broker.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The hand that moves the simulators; it is not part of the API and listens on loopback only. */
final class SimControl {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int UNPROCESSABLE = 422;
    private static final int DEFAULT_PORT = 80;

    private final Session session;
    private final URI control;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();
    private final ObjectMapper json = new ObjectMapper();

    /** @param said where it listens; null means on the port after the broker's */
    SimControl(Session session, @Nullable String said) {
        this.session = session;
        this.control = said == null ? beside(session.url()) : URI.create(said.replaceAll("/+$", ""));
    }

    private static URI beside(URI broker) {
        int port = broker.getPort() < 0 ? DEFAULT_PORT : broker.getPort();
        try {
            return new URI("http", null, broker.getHost(), port + 1, null, null, null);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("an address that was read cannot be written", e);
        }
    }

    /** What the control answered. */
    record Answer(int status, String body) {
        /** The platform does not sell that model or shape. */
        boolean isNotSold() {
            return status == UNPROCESSABLE;
        }
    }

    /** Ids of all simulated platforms. */
    List<String> platforms() {
        List<String> ids = new ArrayList<>();
        get("/_sim").forEach(each -> ids.add(each.path("platform").asText()));
        return ids;
    }

    JsonNode get(String path) {
        return tree(must(send("GET", path, null)));
    }

    Answer send(String method, String path, @Nullable ObjectNode body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(control + path))
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.toString()))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            return new Answer(answer.statusCode(), answer.body());
        } catch (IOException e) {
            throw new CliFailure(
                    ExitCode.NO_ACCESS,
                    session.lang()
                            .pick(
                                    "The simulators' control cannot be reached at " + control
                                            + ". Name it with --control; it is on the port after the broker's.",
                                    "无法连接模拟器控制端口 " + control + "，可用 --control 指定；默认是 broker 端口加 1。"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CliFailure(ExitCode.FAILED, session.lang().pick("Interrupted.", "已中断。"));
        }
    }

    /** The answer, if it is a good one. */
    Answer must(Answer answer) {
        if (answer.status() / 100 == 2) {
            return answer;
        }
        String detail =
                answer.body().startsWith("{") ? tree(answer).path("detail").asText() : answer.body();
        throw new CliFailure(
                answer.status() / 100 == 4 ? ExitCode.REFUSED : ExitCode.FAILED,
                control + ": " + answer.status() + " " + detail);
    }

    ObjectNode object() {
        return json.createObjectNode();
    }

    private JsonNode tree(Answer answer) {
        try {
            return json.readTree(answer.body());
        } catch (JsonProcessingException e) {
            throw new CliFailure(ExitCode.FAILED, control + ": " + Width.cut(answer.body(), 200));
        }
    }
}
