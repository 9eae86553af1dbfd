package dev.gpubroker.simulator;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The hand that moves the simulators: stock, prices, faults, and a look at what they hold. Loopback only. */
public final class SimulatorControl {
    private static final Logger LOG = LoggerFactory.getLogger(SimulatorControl.class);
    private static final ObjectMapper JSON = new ObjectMapper()
            .registerModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
    private static final int MOST_NODES = 100_000;
    private static final Pattern PRICE = Pattern.compile("[0-9]{1,12}([.][0-9]{1,12})?");

    private final Map<String, SimulatorServer> servers = new LinkedHashMap<>();
    private final Vertx vertx;
    private final HttpServer http;

    private SimulatorControl(Vertx vertx, List<SimulatorServer> servers, int port) {
        this.vertx = vertx;
        servers.forEach(server -> this.servers.put(server.platform().platform(), server));
        this.http = vertx.createHttpServer(
                        new HttpServerOptions().setHost("127.0.0.1").setPort(port))
                .requestHandler(this::receive);
    }

    /** Listens on 127.0.0.1. */
    public static Future<SimulatorControl> start(Vertx vertx, List<SimulatorServer> servers, int port) {
        SimulatorControl control = new SimulatorControl(vertx, servers, port);
        return control.http.listen().map(control);
    }

    public int port() {
        return http.actualPort();
    }

    public Future<Void> stop() {
        return http.close();
    }

    private void receive(HttpServerRequest request) {
        request.body()
                .compose(body -> vertx.executeBlocking(() -> answer(request, body), false))
                .otherwise(fault -> problem(fault))
                .onSuccess(reply -> {
                    request.response().setStatusCode(reply.status());
                    reply.headers().forEach(request.response()::putHeader);
                    request.response().end(Buffer.buffer(reply.body()));
                });
    }

    private SimReply answer(HttpServerRequest request, Buffer body) throws Exception {
        String[] path = request.path().split("/");
        String method = request.method().name();
        if (path.length == 2 && path[1].equals("_sim") && method.equals("GET")) {
            return SimReply.json(200, list().encode());
        }
        if (path.length != 4 || !path[1].equals("_sim")) {
            return problem(
                    404,
                    "not_found",
                    "The control knows /_sim and /_sim/{platform}/stock, prices, faults, access, instances.",
                    "控制端口只有 /_sim 以及 /_sim/{platform}/stock、prices、faults、access、instances。");
        }
        SimulatorServer server = servers.get(path[2]);
        if (server == null) {
            return problem(
                    404,
                    "not_found",
                    "There is no simulator called '" + path[2] + "'; there are " + String.join(", ", servers.keySet())
                            + ".",
                    "没有名为 '" + path[2] + "' 的模拟平台；现有 " + String.join("、", servers.keySet()) + "。");
        }
        SimulatedPlatform platform = server.platform();
        switch (method + " " + path[3]) {
            case "GET instances":
                return SimReply.json(
                        200,
                        JSON.writeValueAsString(
                                platform.instances().stream().map(Row::of).toList()));
            case "PUT stock": {
                JsonObject wanted = json(body);
                platform.setStock(
                        text(wanted, "model"),
                        number(wanted, "gpusPerNode", 1, 128),
                        number(wanted, "nodes", 0, MOST_NODES));
                return SimReply.json(200, wanted.encode());
            }
            case "PUT prices": {
                JsonObject wanted = json(body);
                platform.setHourly(
                        text(wanted, "model"), number(wanted, "gpusPerNode", 1, 128), price(wanted, "hourly"));
                return SimReply.json(200, wanted.encode());
            }
            case "POST faults": {
                JsonObject wanted = json(body);
                platform.addFault(fault(wanted));
                return SimReply.json(201, wanted.encode());
            }
            case "PUT access": {
                JsonObject wanted = json(body);
                String host = wanted.containsKey("host") ? text(wanted, "host") : SimulatedPlatform.MACHINE_HOST;
                platform.leadTo(new SimAccess(host, number(wanted, "port", 1, 65_535)));
                return SimReply.json(200, wanted.put("host", host).encode());
            }
            case "DELETE access":
                platform.leadTo(null);
                return SimReply.empty(204);
            case "DELETE faults":
                platform.clearFaults();
                return SimReply.empty(204);
            default:
                return problem(
                        405,
                        "method_not_allowed",
                        method + " is not for " + request.path() + ".",
                        request.path() + " 不支持 " + method + "。");
        }
    }

    private JsonArray list() {
        JsonArray list = new JsonArray();
        servers.forEach((id, server) -> list.add(new JsonObject()
                .put("platform", id)
                .put("url", server.url().toString())
                .put("sshPort", server.sshPort())
                .put(
                        "models",
                        new JsonArray(server.platform().skus().stream()
                                .map(SimSku::model)
                                .distinct()
                                .toList()))));
        return list;
    }

    /** One machine; {@code machine} is what its order asked for, as the machine would find it. */
    private record Row(
            String id,
            String sku,
            String model,
            int gpus,
            @Nullable String key,
            Map<String, String> tags,
            String state,
            java.time.Instant createdAt,
            java.time.@Nullable Instant releasedAt,
            Asked machine) {
        static Row of(SimInstance i) {
            return new Row(
                    i.id(),
                    i.sku(),
                    i.model(),
                    i.gpus(),
                    i.key(),
                    i.tags(),
                    i.state(),
                    i.createdAt(),
                    i.releasedAt(),
                    Asked.of(i));
        }
    }

    private record Asked(String image, List<String> sshKeys, String startupScript, int dataDiskGb, boolean publicIp) {
        static Asked of(SimInstance i) {
            return new Asked(
                    i.attribute("image"),
                    i.attribute("sshKeys").lines().toList(),
                    i.attribute("startupScript"),
                    i.attribute("dataDiskGb").isEmpty() ? 0 : Integer.parseInt(i.attribute("dataDiskGb")),
                    !i.attribute("publicIp").isEmpty());
        }
    }

    private static Fault fault(JsonObject wanted) {
        String operation = text(wanted, "operation");
        if (!Fault.OPERATIONS.contains(operation)) {
            throw oneOf("operation", Fault.OPERATIONS.stream().sorted().toList());
        }
        String said = text(wanted, "kind");
        List<String> kinds = Arrays.stream(Fault.Kind.values())
                .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                .toList();
        if (!kinds.contains(said)) {
            throw oneOf("kind", kinds);
        }
        Fault.Kind kind = Fault.Kind.valueOf(said.toUpperCase(Locale.ROOT));
        int times = wanted.containsKey("times") ? number(wanted, "times", 1, 1_000_000) : 1;
        int delay = wanted.containsKey("delayMs") ? number(wanted, "delayMs", 0, Integer.MAX_VALUE) : 60_000;
        return new Fault(operation, kind, times, Duration.ofMillis(delay), wanted.getString("code"));
    }

    private static JsonObject json(Buffer body) {
        try {
            return body.toJsonObject();
        } catch (RuntimeException unreadable) {
            throw new BadBody("The body must be a JSON object.", "请求体必须是 JSON 对象。", unreadable);
        }
    }

    private static String text(JsonObject json, String field) {
        if (json.getValue(field) instanceof String text && !text.isBlank()) {
            return text;
        }
        throw new BadBody(field + " must be a text.", field + " 必须是文本。", null);
    }

    /** A price that a platform could ask. Absurdly low ones are taken, to see what the broker does. */
    private static String price(JsonObject json, String field) {
        String text = text(json, field);
        if (!PRICE.matcher(text).matches() || new BigDecimal(text).signum() == 0) {
            throw new BadBody(
                    field + " must be a decimal above zero, as text, such as 277.93.",
                    field + " 必须是大于零的十进制数（文本形式），例如 277.93。",
                    null);
        }
        return text;
    }

    private static int number(JsonObject json, String field, int least, int most) {
        if (json.getValue(field) instanceof Number number
                && number.doubleValue() == number.longValue()
                && number.longValue() >= least
                && number.longValue() <= most) {
            return number.intValue();
        }
        throw new BadBody(
                field + " must be a whole number from " + least + " to " + most + ".",
                field + " 必须是 " + least + " 到 " + most + " 之间的整数。",
                null);
    }

    private static BadBody oneOf(String field, List<String> known) {
        return new BadBody(
                field + " must be one of " + String.join(", ", known) + ".",
                field + " 必须是以下之一：" + String.join("、", known) + "。",
                null);
    }

    /** A body that cannot be meant. */
    private static final class BadBody extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String detailZh;

        BadBody(String detail, String detailZh, @Nullable Throwable cause) {
            super(detail, cause);
            this.detailZh = detailZh;
        }
    }

    private static SimReply problem(Throwable fault) {
        if (fault instanceof BadBody bad) {
            return problem(400, "invalid_request", String.valueOf(bad.getMessage()), bad.detailZh);
        }
        if (fault instanceof NotSold unknown) {
            return problem(422, "not_sold", unknown.getMessage() + ".", unknown.detailZh() + "。");
        }
        LOG.error("the simulators' control failed", fault);
        return problem(500, "internal_error", "The control failed; see the log.", "控制端口出错，见日志。");
    }

    private static SimReply problem(int status, String code, String detail, String detailZh) {
        String words = code.replace('_', ' ');
        JsonObject problem = new JsonObject()
                .put("type", "urn:gpu-broker:problem:" + code)
                .put("title", words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1))
                .put("status", status)
                .put("code", code)
                .put("detail", detail)
                .put("detailZh", detailZh);
        return new SimReply(
                status,
                Map.of("content-type", "application/problem+json"),
                problem.toBuffer().getBytes());
    }
}
