package dev.gpubroker.broker.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;

/** Server-sent events on a response. A comment now and then keeps proxies from closing it, and notices a reader who is gone. */
final class SentEvents implements EventStream.Events {
    private static final Duration COMMENT_EVERY = Duration.ofSeconds(15);

    private final HttpServerResponse response;

    private SentEvents(HttpServerResponse response) {
        this.response = response;
    }

    /** Sends the headers, which the caller has set beside those of every stream. */
    static SentEvents begin(Vertx vertx, HttpServerResponse response) {
        SentEvents events = new SentEvents(response);
        response.putHeader("Content-Type", "text/event-stream; charset=utf-8")
                .putHeader("X-Accel-Buffering", "no") // Else nginx keeps events until it has some kilobytes.
                .putHeader("Content-Encoding", "identity") // A compressor would keep them too.
                .setChunked(true);
        long comments = vertx.setPeriodic(0, COMMENT_EVERY.toMillis(), tick -> events.comment());
        response.endHandler(ended -> vertx.cancelTimer(comments));
        response.closeHandler(left -> vertx.cancelTimer(comments));
        return events;
    }

    private void comment() {
        if (isOpen() && !response.writeQueueFull()) {
            response.write(":\n\n");
        }
    }

    @Override
    public Future<Void> send(String name, Object data) {
        if (!isOpen()) {
            return Future.failedFuture("the reader has left");
        }
        try {
            String json = ApiJson.mapper().writeValueAsString(data);
            return response.write("event: " + name + "\ndata: " + json + "\n\n");
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("an event that is not JSON: " + data.getClass(), e);
        }
    }

    @Override
    public boolean isOpen() {
        return !response.ended() && !response.closed();
    }

    @Override
    public void end() {
        if (isOpen()) {
            response.end();
        }
    }
}
