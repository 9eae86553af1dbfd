package dev.gpubroker.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.contract.ManualClock;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.outbox.Outbox;
import dev.gpubroker.broker.outbox.Relay;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The whole way of a message from the outbox to receivers, with a clock and rounds that the test moves. */
public final class PostOffice {
    public static final Instant NOW = Instant.parse("2026-12-01T02:00:00Z");

    private final TestDatabase database;
    public final ManualClock wall = new ManualClock(NOW);
    public final DeliveryStore store;
    private final Relay relay;
    private final Deliveries deliveries;

    public PostOffice(TestDatabase database, List<Receivers> receivers) {
        this.database = database;
        this.store = new PgDeliveryStore(database.database());
        // Half of the span: no jitter.
        this.deliveries = new Deliveries(database.vertx(), store, receivers, wall, () -> 0.5);
        this.relay =
                new Relay(database.vertx(), database.database(), new Fanout(receivers, store, wall, () -> {})::deliver);
    }

    /** As booking writes it. */
    public void news(String reservation, String state, long version) {
        news(reservation, state, version, Map.of());
    }

    public void news(String reservation, String state, long version, Map<String, String> labels) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("reservation", reservation);
        body.put("team", "default");
        body.put("title", "run 7\r\nBcc: all@example.com");
        body.put("state", state);
        body.put("was", null);
        body.put("model", "A100");
        body.put("gpus", 8);
        body.put("start", "2026-12-20T00:00:00Z");
        body.put("end", "2026-12-25T00:00:00Z");
        body.put("version", version);
        body.put("why", "booked");
        body.put("full", Map.of("id", reservation, "state", state, "version", version, "labels", labels));
        message("reservation." + state, body);
    }

    public void message(String topic, Map<String, ?> body) {
        database.database()
                .inTransaction(connection -> new Outbox().add(connection, "default", topic, body, NOW))
                .await();
    }

    /** Messages become deliveries. */
    public void relay() {
        relay.drain().await();
    }

    /** A round whose end is not waited for. */
    public Future<Void> begin() {
        return deliveries.round();
    }

    /** Everything that is due now is tried once. */
    public void round() throws TimeoutException {
        relay();
        await(begin());
    }

    public void pass(Duration time) {
        wall.advance(time);
    }

    public List<Delivery> list(String lane) {
        return store.list(lane, null, null, null, 100).await();
    }

    public Delivery only(String lane) {
        List<Delivery> all = list(lane);
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    public static <T> T await(Future<T> future) throws TimeoutException {
        return future.await(30, TimeUnit.SECONDS);
    }
}
