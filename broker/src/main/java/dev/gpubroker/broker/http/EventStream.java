package dev.gpubroker.broker.http;

import io.vertx.core.Future;

/** An answer that goes on: server-sent events, written as they come. */
@FunctionalInterface
public interface EventStream {
    /** Called once, when the reader is there; ends the stream by and by, or lets the reader leave. */
    void open(Events events);

    /** The way to the reader. Comments that keep the connection alive are sent by themselves. */
    interface Events {
        /**
         * Sends one event.
         *
         * @param name its kind
         * @param data a record, map or JSON node
         * @return when the reader has room for the next one; fails if it has left
         */
        Future<Void> send(String name, Object data);

        /** Whether the reader is still there. */
        boolean isOpen();

        /** No more comes. */
        void end();
    }
}
