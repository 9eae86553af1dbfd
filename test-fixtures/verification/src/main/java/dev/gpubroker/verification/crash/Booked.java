package dev.gpubroker.verification.crash;

import java.time.OffsetDateTime;

/**
 * A booking that was acknowledged, as its client knows it: what the ledger must say at the end.
 *
 * @param key of the booking; also its title
 * @param end as last acknowledged
 * @param cancelled the state that the cancellation's answer told; empty while it was not cancelled
 * @param certain false once a call about it was never answered, so that two ends or endings would be right
 */
record Booked(String key, String id, OffsetDateTime start, OffsetDateTime end, String cancelled, boolean certain) {
    Booked endingAt(OffsetDateTime moved) {
        return new Booked(key, id, start, moved, cancelled, certain);
    }

    Booked cancelledAs(String state) {
        return new Booked(key, id, start, end, state, certain);
    }

    Booked uncertain() {
        return new Booked(key, id, start, end, cancelled, false);
    }

    boolean isCancelled() {
        return !cancelled.isEmpty();
    }
}
