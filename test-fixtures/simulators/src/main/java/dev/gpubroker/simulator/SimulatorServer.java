package dev.gpubroker.simulator;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts one simulated platform behind HTTP on a loopback port of its own. */
public final class SimulatorServer {
    private static final Logger LOG = LoggerFactory.getLogger(SimulatorServer.class);
    /** Some platforms take all parameters in the query, a start-up script of 32 KB in Base64 among them. */
    private static final int LONGEST_REQUEST_LINE = 128 * 1024;

    private final Vertx vertx;
    private final SimulatedPlatform platform;
    private final HttpServer server;
    private final WorkerExecutor worker;
    private @Nullable MachineGateway gateway;

    private SimulatorServer(Vertx vertx, SimulatedPlatform platform) {
        this.vertx = vertx;
        this.platform = platform;
        this.worker = vertx.createSharedWorkerExecutor("simulator-" + platform.platform(), 1);
        this.server = vertx.createHttpServer(new HttpServerOptions()
                        .setHost("127.0.0.1")
                        .setPort(0)
                        .setMaxInitialLineLength(LONGEST_REQUEST_LINE))
                .requestHandler(this::receive);
    }

    /** Starts on a free port of 127.0.0.1, with the gateway to its machines beside it. */
    public static Future<SimulatorServer> start(Vertx vertx, SimulatedPlatform platform) {
        SimulatorServer simulator = new SimulatorServer(vertx, platform);
        return MachineGateway.start(vertx, platform)
                .onSuccess(opened -> simulator.gateway = opened)
                .compose(opened -> simulator.server.listen())
                .map(simulator);
    }

    public SimulatedPlatform platform() {
        return platform;
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + server.actualPort());
    }

    /** Where its machines answer SSH. */
    public int sshPort() {
        return platform.gatewayPort();
    }

    public Future<Void> stop() {
        MachineGateway opened = gateway;
        Future<Void> closed = opened == null ? Future.succeededFuture() : opened.stop();
        return closed.eventually(server::close).eventually(worker::close);
    }

    private void receive(HttpServerRequest request) {
        request.body()
                .map(body -> asSimRequest(request, body))
                .compose(call -> worker.executeBlocking(() -> platform.receive(call)))
                .onSuccess(verdict -> answer(request, verdict))
                .onFailure(fault -> {
                    LOG.error(
                            "simulated {} failed on {} {}",
                            platform.platform(),
                            request.method(),
                            request.path(),
                            fault);
                    request.connection().close();
                });
    }

    private void answer(HttpServerRequest request, SimulatedPlatform.Verdict verdict) {
        if (verdict instanceof SimulatedPlatform.Verdict.Answer answer) {
            SimReply reply = answer.reply();
            request.response().setStatusCode(reply.status());
            reply.headers().forEach(request.response()::putHeader);
            request.response().end(Buffer.buffer(reply.body()));
            return;
        }
        Duration delay = ((SimulatedPlatform.Verdict.CloseAfter) verdict).delay();
        if (delay.isZero()) {
            request.connection().close();
        } else {
            vertx.setTimer(delay.toMillis(), timer -> request.connection().close());
        }
    }

    private static SimRequest asSimRequest(HttpServerRequest request, Buffer body) {
        Map<String, String> headers = new LinkedHashMap<>();
        request.headers()
                .forEach((name, value) ->
                        headers.merge(name.toLowerCase(Locale.ROOT), value, (first, next) -> first + "," + next));
        String query = request.query() == null ? "" : request.query();
        return new SimRequest(
                request.method().name(), request.path(), query, SimRequest.decode(query), headers, body.getBytes());
    }
}
