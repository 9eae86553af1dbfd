package dev.gpubroker.broker.http;

import java.time.Duration;

/**
 * How the server listens.
 *
 * @param bind address to listen on
 * @param port 0 for any free one
 * @param idle a connection without traffic is closed after this; longer than the slowest operation, a walk of the demo
 *     clock, since a connection that waits for its answer has no traffic
 * @param grace how long a stop waits for requests in progress
 */
public record HttpSettings(String bind, int port, Duration idle, Duration grace) {
    public static HttpSettings of(String bind, int port) {
        return new HttpSettings(bind, port, Duration.ofMinutes(15), Duration.ofSeconds(10));
    }
}
