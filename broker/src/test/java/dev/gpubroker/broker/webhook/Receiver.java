package dev.gpubroker.broker.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A real endpoint. Signatures are checked as a receiver's library does it, from the text of the specification, not with our code. */
final class Receiver implements AutoCloseable {
    private static final Duration TOLERANCE = Duration.ofMinutes(5);

    private final HttpServer server;
    private final int port;
    final List<Received> received = new ArrayList<>();
    /** What is answered next; nothing left: 204. */
    private final Queue<Consumer<HttpServerRequest>> answers = new ConcurrentLinkedQueue<>();

    private final BlockingQueue<Received> arrivals = new LinkedBlockingQueue<>();

    Receiver(Vertx vertx) {
        this.server = vertx.createHttpServer().requestHandler(this::take);
        this.port = server.listen(0, "127.0.0.1").await().actualPort();
    }

    record Received(
            String method, String path, String id, String timestamp, String signature, String type, String body) {
        JsonNode json() {
            try {
                return new ObjectMapper().readTree(body);
            } catch (IOException e) {
                throw new AssertionError(body, e);
            }
        }
    }

    private void take(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            Received message = new Received(
                    request.method().name(),
                    request.path(),
                    request.getHeader("webhook-id"),
                    request.getHeader("webhook-timestamp"),
                    request.getHeader("webhook-signature"),
                    request.getHeader("content-type"),
                    body.toString(StandardCharsets.UTF_8));
            synchronized (received) {
                received.add(message);
            }
            Consumer<HttpServerRequest> next = answers.poll();
            if (next == null) {
                request.response().setStatusCode(204).end();
            } else {
                next.accept(request);
            }
            arrivals.add(message);
        });
    }

    String url() {
        return "http://127.0.0.1:" + port + "/hook";
    }

    /** Answers with these, one after the other. */
    Receiver answers(int... statuses) {
        for (int status : statuses) {
            answers.add(request -> request.response()
                    .setStatusCode(status)
                    .putHeader("Location", url() + "/elsewhere")
                    .end("answer " + status));
        }
        return this;
    }

    /** Answers the next request so, and asks to be left alone. */
    Receiver asks(int status, String retryAfter) {
        answers.add(request -> request.response()
                .setStatusCode(status)
                .putHeader("Retry-After", retryAfter)
                .end());
        return this;
    }

    /** Lets the next request hang until the test is over. */
    Receiver hangs() {
        answers.add(request -> {});
        return this;
    }

    /** The next one that arrives; waits for it. */
    Received next() throws InterruptedException {
        Received message = arrivals.poll(10, TimeUnit.SECONDS);
        assertThat(message).as("a message within 10 s").isNotNull();
        return Objects.requireNonNull(message);
    }

    List<Received> received() {
        synchronized (received) {
            return List.copyOf(received);
        }
    }

    /** As standardwebhooks does: throws nothing, says whether one of the signatures is right and the time is near. */
    static boolean isGenuine(Received message, String secret, Instant now) {
        assertThat(secret).startsWith("whsec_");
        byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
        Instant sent = Instant.ofEpochSecond(Long.parseLong(message.timestamp()));
        if (Duration.between(sent, now).abs().compareTo(TOLERANCE) > 0) {
            return false;
        }
        byte[] expected = hmac(key, message.id() + "." + message.timestamp() + "." + message.body());
        for (String versioned : message.signature().split(" ")) {
            String[] parts = versioned.split(",", 2);
            if (parts[0].equals("v1")
                    && MessageDigest.isEqual(Base64.getDecoder().decode(parts[1]), expected)) {
                return true;
            }
        }
        return false;
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        server.close().await();
    }
}
