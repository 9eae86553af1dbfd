package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The server: one socket, the router behind it, and a stop that lets requests in progress end. */
public final class HttpService {
    /** A cursor and every filter fit many times over. */
    private static final int MOST_LINE_BYTES = 8 * 1024;

    private static final int MOST_HEADER_BYTES = 16 * 1024;
    /** Smaller answers gain nothing. */
    private static final int SMALLEST_COMPRESSED = 1024;

    private final Vertx vertx;
    private final HttpSettings settings;
    private final Router router;
    private @Nullable HttpServer server;

    public HttpService(Vertx vertx, HttpSettings settings, Router router) {
        this.vertx = requireNonNull(vertx);
        this.settings = requireNonNull(settings);
        this.router = requireNonNull(router);
    }

    /** Starts to listen; answers the port. Fails if it is taken. */
    public Future<Integer> start() {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(settings.bind())
                .setPort(settings.port())
                .setCompressionSupported(true)
                .setCompressionContentSizeThreshold(SMALLEST_COMPRESSED)
                .setDecompressionSupported(false) // A small body may not grow into a large one.
                .setHandle100ContinueAutomatically(true)
                .setMaxInitialLineLength(MOST_LINE_BYTES)
                .setMaxHeaderSize(MOST_HEADER_BYTES)
                .setHttp2ClearTextEnabled(false) // Whoever wants HTTP/2 has a proxy that speaks TLS.
                .setTcpKeepAlive(true)
                .setIdleTimeout((int) settings.idle().toSeconds())
                .setIdleTimeoutUnit(TimeUnit.SECONDS);
        HttpServer starting = vertx.createHttpServer(options);
        server = starting;
        return starting.requestHandler(router)
                .invalidRequestHandler(HttpService::refuseUnreadable)
                .listen()
                .map(HttpServer::actualPort);
    }

    /** Stops listening at once and ends when requests in progress have, or the grace is over. */
    public Future<Void> stop() {
        HttpServer running = server;
        server = null;
        return running == null
                ? Future.succeededFuture()
                : running.shutdown(settings.grace().toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Answers what the HTTP decoder could not read. */
    private static void refuseUnreadable(HttpServerRequest request) {
        String requestId = RequestIds.idOr(null);
        Throwable cause = request.decoderResult().cause();
        String kind = cause == null ? "" : cause.getClass().getSimpleName();
        Problem problem = switch (kind) {
            case "TooLongHttpLineException" -> Problem.of(414, "uri_too_long", "The address is too long.", "请求地址过长。");
            case "TooLongHttpHeaderException" ->
                Problem.of(431, "headers_too_large", "The headers are too large.", "请求头过大。");
            default -> Problem.of(400, "invalid_request", "The request is not HTTP.", "该请求不符合 HTTP 规范。");
        };
        ApiReply reply = ApiReply.problem(problem, requestId);
        request.response().setStatusCode(reply.status()).putHeader(RequestIds.HEADER, requestId);
        reply.headers().forEach(request.response()::putHeader);
        Buffer body = requireNonNull(reply.body());
        request.response().end(body).onComplete(sent -> request.connection().close());
    }
}
