package dev.gpubroker.broker.notify;

import dev.gpubroker.broker.outbox.Message;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Supplier;

/** Sends a message every way that wants it. A way that fails makes the whole message come again: receivers know it by its id. */
public final class Notifier {
    private final Supplier<List<Channel>> channels;

    /** @param channels as the settings have them now */
    public Notifier(Supplier<List<Channel>> channels) {
        this.channels = channels;
    }

    public Future<Void> send(Message message) {
        List<Future<Void>> sent = channels.get().stream()
                .filter(channel -> channel.wants(message))
                .map(channel -> channel.send(message))
                .toList();
        return Future.join(sent).mapEmpty();
    }
}
