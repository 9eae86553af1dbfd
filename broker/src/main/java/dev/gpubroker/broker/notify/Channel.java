package dev.gpubroker.broker.notify;

import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;

/** One way out. */
public interface Channel {
    /** Whether this message goes this way. */
    boolean wants(Message message);

    /** Fails if it did not arrive; it is then sent again, with the same id. */
    Future<Void> send(Message message);
}
