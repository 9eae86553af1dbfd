package dev.gpubroker.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.gpubroker.client.ApiClient;
import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.api.ReservationsApi;
import dev.gpubroker.client.model.BookingBody;
import dev.gpubroker.client.model.Constraints;
import dev.gpubroker.client.model.GpuWish;
import dev.gpubroker.client.model.Problem;
import dev.gpubroker.client.model.Reservation;
import dev.gpubroker.client.model.State;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The generated client against a server that says what it is told to. */
class ClientTest {
    private HttpServer server;
    private ReservationsApi api;

    private int status = 200;
    private JsonObject answer = example("Reservation.queued.json");
    private volatile String sent = "";
    private volatile String key = "";

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        ApiClient client = new ApiClient();
        client.updateBaseUri("http://127.0.0.1:" + server.getAddress().getPort());
        api = new ReservationsApi(client);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void membersAndStatesOfANewerBrokerDoNotBreakIt() throws Exception {
        answer.put("mood", "sunny").put("state", "lent_out");
        answer.getJsonObject("request").put("colour", new JsonObject().put("name", "green"));

        Reservation read = api.readReservation("rsv_1");

        assertThat(read.getState()).isEqualTo(State.UNKNOWN_DEFAULT_OPEN_API);
        assertThat(read.getRequest().getGpu().getCount()).isEqualTo(8);
    }

    @Test
    void chineseTextArrivesWholeWhateverThePlatformCharsetIs() throws Exception {
        answer.put("title", "大模型微调");

        assertThat(api.readReservation("rsv_1").getTitle()).isEqualTo("\u5927\u6a21\u578b\u5fae\u8c03");
    }

    @Test
    void onlyWhatWasSetIsSent() throws Exception {
        status = 201;
        BookingBody body = new BookingBody()
                .gpu(new GpuWish().model("A100").count(8))
                .start("2026-12-20T00:00:00+08:00")
                .duration("P5D")
                .constraints(new Constraints().singleNode(true));

        api.bookReservation(body, "key-1");

        assertThat(new JsonObject(sent))
                .isEqualTo(new JsonObject()
                        .put("gpu", new JsonObject().put("model", "A100").put("count", 8))
                        .put("start", "2026-12-20T00:00:00+08:00")
                        .put("duration", "P5D")
                        .put("constraints", new JsonObject().put("singleNode", true)));
        assertThat(key).isEqualTo("key-1");
    }

    @Test
    void timesKeepTheOffsetTheyWereSentWith() throws Exception {
        assertThat(api.readReservation("rsv_1").getRequest().getStart()).isEqualTo("2026-12-20T00:00:00+08:00");
    }

    @Test
    void aRefusalCarriesItsProblemDocument() throws Exception {
        status = 409;
        answer = example("Problem.no_capacity.json");

        ApiException refused =
                catchThrowableOfType(ApiException.class, () -> api.bookReservation(new BookingBody(), "key-1"));
        Problem problem = new ApiClient().getObjectMapper().readValue(refused.getResponseBody(), Problem.class);

        assertThat(refused.getCode()).isEqualTo(409);
        assertThat(problem.getCode()).isEqualTo("no_capacity");
        assertThat(problem.getFreeWindows()).isNotEmpty();
        assertThat(problem.getDetailZh()).isEqualTo(answer.getString("detailZh"));
    }

    private void answer(HttpExchange exchange) throws IOException {
        sent = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        String type = status < 400 ? "application/json" : "application/problem+json";
        byte[] body = answer.encode().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static JsonObject example(String name) {
        return new JsonObject(Contract.text(Contract.FOLDER.resolve("examples").resolve(name)));
    }
}
