package dev.gpubroker.broker.http;

import static dev.gpubroker.broker.http.TestServer.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.http.TestServer.Answer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HttpServiceTest {
    @Test
    void aStopLetsRequestsInProgressEnd() throws InterruptedException {
        ExecutorService clients = Executors.newSingleThreadExecutor();
        try (TestServer server = new TestServer(new MemoryIdempotencyStore(), List.of())) {
            CountDownLatch reached = new CountDownLatch(1);
            Promise<ApiReply> reply = Promise.promise();
            server.handlers.put("readReservation", request -> {
                reached.countDown();
                return reply.future();
            });
            var answer = clients.submit(() -> server.get("/v1/reservations/r"));
            assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();

            Future<Void> stopped = server.stop();
            assertThat(stopped.isComplete()).isFalse();
            reply.complete(ApiReply.noContent());

            assertThat(answer)
                    .succeedsWithin(Duration.ofSeconds(30))
                    .extracting(Answer::status)
                    .isEqualTo(204);
            await(stopped);
            assertThatThrownBy(() -> server.get("/healthz")).hasCauseInstanceOf(ConnectException.class);
        } finally {
            clients.shutdownNow();
        }
    }

    @Test
    void stoppingTwiceDoesNoHarm() {
        try (TestServer server = new TestServer(new MemoryIdempotencyStore(), List.of())) {
            await(server.stop());
            await(server.stop());
        }
    }
}
