package dev.gpubroker.broker.net;

import dev.gpubroker.broker.net.OutboundGuard.Checked;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.ConnectException;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Calls addresses that users name. Redirects are not followed: they could lead anywhere. */
public final class Outbound {
    /** For the answer, from the moment at which the request leaves. */
    public static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);

    private static final int CONNECT_MILLIS = 5_000;

    private final Vertx vertx;
    private final OutboundGuard guard;
    private final HttpClient client;
    private final Duration answerLimit;

    public Outbound(Vertx vertx, OutboundGuard guard) {
        this(vertx, guard, new HttpClientOptions(), ANSWER_LIMIT);
    }

    /** @param tls whom to trust; the rest is set here */
    Outbound(Vertx vertx, OutboundGuard guard, HttpClientOptions tls, Duration answerLimit) {
        this.vertx = vertx;
        this.guard = guard;
        this.answerLimit = answerLimit;
        this.client = vertx.createHttpClient(new HttpClientOptions(tls)
                .setKeepAlive(false) // Each call is checked afresh; a kept connection would be an older check.
                .setConnectTimeout(CONNECT_MILLIS)
                .setVerifyHost(true)
                .setMaxRedirects(0));
    }

    /**
     * @param body null for none
     * @param mostBytes of the answer that are read; what follows is cut off
     * @param turn see {@link OutboundGuard#resolve}
     */
    public record Call(
            HttpMethod method,
            URI url,
            Map<String, String> headers,
            @Nullable Buffer body,
            int mostBytes,
            int turn) {
        public Call inTurn(int another) {
            return new Call(method, url, headers, body, mostBytes, another);
        }

        public Call withHeaders(Map<String, String> others) {
            return new Call(method, url, others, body, mostBytes, turn);
        }
    }

    /** @param headers by lower-case name */
    public record Answer(int status, Map<String, String> headers, Buffer body) {
        public boolean isSuccess() {
            return status / 100 == 2;
        }
    }

    /** Any answer is one, whatever its status. Fails with {@link RefusedAddress} or {@link CallFault}. */
    public Future<Answer> send(Call call) {
        return guard.resolve(call.url(), call.turn()).compose(checked -> connect(call, checked));
    }

    private Future<Answer> connect(Call call, Checked to) {
        URI url = to.url();
        int port = OutboundRules.portOf(url);
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        RequestOptions options = new RequestOptions()
                .setMethod(call.method())
                // The name stays in Host, SNI and the certificate's check; the connection goes to the checked address.
                .setServer(SocketAddress.inetSocketAddress(port, to.address().getHostAddress()))
                .setHost(url.getHost())
                .setPort(port)
                .setSsl(OutboundRules.isTls(url))
                .setURI(url.getRawQuery() == null ? path : path + "?" + url.getRawQuery())
                .setFollowRedirects(false);
        return client.request(options)
                .recover(fault -> Future.failedFuture(new CallFault(why(fault), false)))
                .compose(request -> exchange(request, call));
    }

    private Future<Answer> exchange(HttpClientRequest request, Call call) {
        Promise<Answer> answer = Promise.promise();
        Reading reading = new Reading(request, call.mostBytes(), answer);
        long timer = vertx.setTimer(answerLimit.toMillis(), late -> reading.stop("no answer within " + seconds()));
        call.headers().forEach(request::putHeader);
        request.exceptionHandler(fault -> reading.stop(why(fault)));
        request.response().onSuccess(reading::begin).onFailure(fault -> reading.stop(why(fault)));
        Future<Void> sent = call.body() == null ? request.end() : request.end(call.body());
        sent.onFailure(fault -> reading.stop(why(fault)));
        return answer.future().onComplete(done -> vertx.cancelTimer(timer));
    }

    private String seconds() {
        return answerLimit.toSeconds() + " s";
    }

    /** Collects one answer within its bounds. What counts is the status: a body that breaks off is taken as far as it came. */
    private static final class Reading {
        private final HttpClientRequest request;
        private final int mostBytes;
        private final Promise<Answer> answer;
        private final Buffer body = Buffer.buffer();
        private @Nullable HttpClientResponse response;

        Reading(HttpClientRequest request, int mostBytes, Promise<Answer> answer) {
            this.request = request;
            this.mostBytes = mostBytes;
            this.answer = answer;
        }

        void begin(HttpClientResponse begun) {
            response = begun;
            begun.exceptionHandler(fault -> complete(begun));
            begun.endHandler(end -> complete(begun));
            begun.handler(chunk -> {
                int room = mostBytes - body.length();
                body.appendBuffer(chunk, 0, Math.min(room, chunk.length()));
                if (chunk.length() >= room) {
                    complete(begun);
                    request.connection().close();
                }
            });
        }

        /** No more of it is waited for. */
        void stop(String why) {
            HttpClientResponse begun = response;
            if (begun != null) {
                complete(begun);
            } else {
                answer.tryFail(new CallFault(why, true));
            }
            request.connection().close();
        }

        private void complete(HttpClientResponse begun) {
            Map<String, String> headers = new TreeMap<>();
            begun.headers().forEach((name, value) -> headers.putIfAbsent(name.toLowerCase(Locale.ROOT), value));
            answer.tryComplete(new Answer(begun.statusCode(), headers, body));
        }
    }

    /** Short, and without addresses. */
    private static String why(Throwable fault) {
        if (fault instanceof SSLException) {
            return "no TLS connection: " + firstLine(fault);
        }
        if (fault instanceof TimeoutException
                || fault.getClass().getSimpleName().contains("Timeout")) {
            return "no connection in time";
        }
        return fault instanceof ConnectException ? "the connection was refused" : "the connection broke off";
    }

    private static String firstLine(Throwable fault) {
        String message = String.valueOf(fault.getMessage());
        return message.lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ");
    }
}
