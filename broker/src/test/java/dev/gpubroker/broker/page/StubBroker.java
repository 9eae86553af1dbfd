package dev.gpubroker.broker.page;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.AdminTokenAuthenticator;
import dev.gpubroker.broker.http.ApiHandler;
import dev.gpubroker.broker.http.ApiJson;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Contract;
import dev.gpubroker.broker.http.ContractRouter;
import dev.gpubroker.broker.http.HttpService;
import dev.gpubroker.broker.http.HttpSettings;
import dev.gpubroker.broker.http.IdempotencyStart;
import dev.gpubroker.broker.http.IdempotencyStore;
import dev.gpubroker.broker.http.IdempotencyTicket;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.WebPages;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The real server with the real pages and the real contract; what its operations answer are the contract's examples, and a
 * calendar that tests fill.
 */
final class StubBroker implements AutoCloseable {
    static final String TOKEN = "s3cret-of-the-admin";
    private static final Path EXAMPLES = Path.of("..", "openapi", "examples");

    private final Vertx vertx = Vertx.vertx();
    private final Map<String, ApiHandler> handlers = new ConcurrentHashMap<>();
    private final List<Bar> bars = new CopyOnWriteArrayList<>();
    private final HttpService service;
    private final int port;
    /** Bookings that arrived, in order. */
    final List<ApiRequest> bookings = new CopyOnWriteArrayList<>();

    /** A bar of the calendar; its row is a platform's. */
    record Bar(String row, String reservation, String title, String state, String start, String end) {
        boolean overlaps(OffsetDateTime from, OffsetDateTime to) {
            return OffsetDateTime.parse(start).isBefore(to)
                    && OffsetDateTime.parse(end).isAfter(from);
        }
    }

    StubBroker() {
        reset();
        Contract contract = Contract.packaged();
        RouteTable table = new RouteTable();
        Pattern.compile("operationId: (\\w+)")
                .matcher(new String(contract.published(), StandardCharsets.UTF_8))
                .results()
                .map(found -> found.group(1))
                .forEach(id -> table.on(id, request -> answer(id, request)));
        AdminTokenAuthenticator tokens = new AdminTokenAuthenticator(TOKEN, new Caller("default", "admin", true));
        ContractRouter router = new ContractRouter(contract, table, tokens, new NoMemory(), failure -> false);
        service = await(router.build(vertx, List.of(new WebPages(contract)))
                .map(built -> new HttpService(vertx, HttpSettings.of("127.0.0.1", 0), built)));
        port = await(service.start());
    }

    /** Forgets what a test has set. */
    void reset() {
        handlers.clear();
        bars.clear();
        bookings.clear();
        on("readStatus", request -> ApiReply.ok(example("Status.demo")));
        on("listPlatforms", request -> ApiReply.ok(platforms()));
        on("readCalendar", request -> ApiReply.ok(calendar(request)));
        on("interpretPhrase", request -> ApiReply.ok(example("Interpretation.en")));
        on("quote", request -> ApiReply.ok(example("Quotes.mission")));
        on("readReservation", request -> ApiReply.ok(reservation(request, "Reservation.queued")));
        on("listReservationEvents", request -> ApiReply.ok(example("ReservationEvents.page")));
        on("bookReservation", request -> {
            bookings.add(request);
            ObjectNode booked = example("Reservation.queued");
            return ApiReply.created("/v1/reservations/" + booked.path("id").asText(), booked);
        });
    }

    String url() {
        return "http://127.0.0.1:" + port + "/";
    }

    void show(Bar... shown) {
        bars.addAll(List.of(shown));
    }

    /** What an operation answers from now on. */
    void on(String operation, Answer answer) {
        handlers.put(operation, request -> Future.succeededFuture(answer.to(request)));
    }

    /** An answer without waiting. */
    interface Answer {
        ApiReply to(ApiRequest request);
    }

    static ObjectNode example(String name) {
        try {
            return (ObjectNode) ApiJson.mapper().readTree(Files.readString(EXAMPLES.resolve(name + ".json")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An example under the id that was asked for. */
    static ObjectNode reservation(ApiRequest request, String name) {
        return example(name).put("id", request.pathParameters().get("id"));
    }

    private Future<ApiReply> answer(String operation, ApiRequest request) {
        ApiHandler handler = handlers.get(operation);
        return handler == null
                ? Future.failedFuture(new ApiProblem(501, "internal_error", operation + " has no answer here", "无应答"))
                : handler.handle(request);
    }

    private static JsonNode platforms() {
        ObjectNode platforms = JsonNodeFactory.instance.objectNode();
        platforms.putArray("items").add(example("Platform.aliyun"));
        return platforms;
    }

    /** As the broker does: what overlaps the span, on the rows of the example and those that the bars name. */
    private JsonNode calendar(ApiRequest request) {
        OffsetDateTime from = OffsetDateTime.parse(requireNonNull(request.query("from")));
        OffsetDateTime to = OffsetDateTime.parse(requireNonNull(request.query("to")));
        ObjectNode calendar = JsonNodeFactory.instance.objectNode();
        calendar.put("from", from.toString()).put("to", to.toString());
        ArrayNode rows = calendar.putArray("rows");
        bars.stream().map(Bar::row).distinct().forEach(id -> {
            ObjectNode row = rows.addObject();
            row.put("id", id)
                    .put("label", id.equals("aliyun") ? "Alibaba Cloud 阿里云" : id)
                    .put("kind", "platform");
            ArrayNode inRow = row.putArray("bars");
            bars.stream()
                    .filter(bar -> bar.row().equals(id) && bar.overlaps(from, to))
                    .forEach(bar -> {
                        ObjectNode json = inRow.addObject();
                        json.put("reservation", bar.reservation()).put("title", bar.title());
                        json.put("state", bar.state()).put("start", bar.start()).put("end", bar.end());
                        json.putObject("gpus").put("model", "A100-SXM4-80GB").put("count", 8);
                        json.put("substituted", false);
                    });
        });
        return calendar;
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        await(service.stop());
        await(vertx.close());
    }

    /** Lets every booking through, so that a test sees each that was sent. */
    private static final class NoMemory implements IdempotencyStore {
        @Override
        public Future<IdempotencyStart> begin(String team, String key, byte[] requestHash) {
            return Future.succeededFuture(new IdempotencyStart.Started(new Ticket(team, key)));
        }

        @Override
        public Future<Void> finish(IdempotencyTicket ticket, ApiReply answer) {
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> release(IdempotencyTicket ticket) {
            return Future.succeededFuture();
        }

        @Override
        public Future<Integer> expire(Duration olderThan) {
            return Future.succeededFuture(0);
        }
    }

    private record Ticket(String team, String key) implements IdempotencyTicket {
        @Override
        public long fence() {
            return 1;
        }

        @Override
        public Future<Void> lockIn(SqlConnection transaction) {
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> answerIn(SqlConnection transaction, ApiReply answer) {
            return Future.succeededFuture();
        }
    }
}
