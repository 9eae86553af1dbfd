package dev.gpubroker.broker.delivery;

import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.util.List;

/** The relay's step: a message becomes a delivery for each receiver that wants it. Safe to repeat. */
public final class Fanout {
    private final List<Receivers> receivers;
    private final DeliveryStore store;
    private final InstantSource wall;
    private final Runnable added;

    /** @param added called when there may be more to deliver */
    public Fanout(List<Receivers> receivers, DeliveryStore store, InstantSource wall, Runnable added) {
        this.receivers = List.copyOf(receivers);
        this.store = store;
        this.wall = wall;
        this.added = added;
    }

    public Future<Void> deliver(Message message) {
        Future<Void> all = Future.succeededFuture();
        for (Receivers kind : receivers) {
            all = all.compose(done -> kind.wanting(message))
                    .compose(lanes -> store.add(message, kind.kind(), lanes, wall.instant()));
        }
        return all.onSuccess(done -> added.run());
    }
}
