package dev.gpubroker.broker.request;

import java.util.List;

/**
 * How a phrase was understood. Where it needs confirmation, nothing of it may be booked before one reading was picked.
 *
 * @param readings likeliest first, never empty; one where the phrase allows only one
 */
public record Interpretation(List<Reading> readings) {
    public Interpretation {
        readings = List.copyOf(readings);
        if (readings.isEmpty()) {
            throw new IllegalArgumentException("no reading");
        }
    }

    /** Whether one of the readings has to be picked: there is more than one. */
    public boolean needsConfirmation() {
        return readings.size() > 1;
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
