package dev.gpubroker.adapter.spi;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;

/** A half-open span of time {@code [start, end)}: one window may end at the instant the next begins. */
public record Window(Instant start, Instant end) {
    public Window {
        requireNonNull(start, "start");
        if (!start.isBefore(requireNonNull(end, "end"))) {
            throw new IllegalArgumentException("empty or reversed window: " + start + " to " + end);
        }
    }

    public static Window of(Instant start, Duration length) {
        return new Window(start, start.plus(length));
    }

    public boolean overlaps(Window other) {
        return start.isBefore(other.end) && other.start.isBefore(end);
    }

    public boolean covers(Window other) {
        return !start.isAfter(other.start) && !end.isBefore(other.end);
    }

    public boolean contains(Instant instant) {
        return !instant.isBefore(start) && instant.isBefore(end);
    }

    public Duration length() {
        return Duration.between(start, end);
    }
}
