package dev.gpubroker.broker.delivery;

import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import java.util.List;

/** One kind of receivers, such as webhooks. */
public interface Receivers {
    /** Stands in their deliveries. */
    String kind();

    /** The receivers that want the message, each by the name of its lane. */
    Future<List<String>> wanting(Message message);

    /** One try. What the receiver does wrong is an outcome; a failed future is a fault of ours, and tried again as well. */
    Future<Outcome> send(Delivery delivery, Message message);
}
