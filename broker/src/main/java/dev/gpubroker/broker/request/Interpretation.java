package dev.gpubroker.broker.request;

import java.util.List;

/**
 * How a phrase was understood. Nothing of it may be booked before {@code needsConfirmation} is settled.
 *
 * @param readings likeliest first, never empty; one where the phrase allows only one
 * @param needsConfirmation two readings are usual, or the only one is not what the words say on their face
 */
public record Interpretation(List<Reading> readings, boolean needsConfirmation) {
    public Interpretation {
        readings = List.copyOf(readings);
        if (readings.isEmpty()) {
            throw new IllegalArgumentException("no reading");
        }
    }

    /** The likeliest reading's request. */
    public BookingRequest request() {
        return readings.get(0).request();
    }

    /** The likeliest reading in one English sentence: model, count, nodes, start, end, zone, hours. */
    public String echo() {
        return readings.get(0).echo();
    }

    /** The same in Chinese. */
    public String echoZh() {
        return readings.get(0).echoZh();
    }
}
