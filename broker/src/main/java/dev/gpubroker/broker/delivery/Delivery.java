package dev.gpubroker.broker.delivery;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way to one receiver. Instants are wall time.
 *
 * @param lane the receiver
 * @param messageId of the outbox
 * @param subject what the message is about, such as a reservation
 * @param tries so far, the one in hand included
 * @param step the place in the schedule
 * @param inDoubt whether something was sent and nobody knows what came of it; of one in hand: of the try before
 * @param nextAt null once it ended
 * @param status of the last answer; null if there was none
 * @param why the last try failed
 * @param excerpt the beginning of the last answer
 */
public record Delivery(
        String id,
        String kind,
        String lane,
        long messageId,
        String topic,
        @Nullable String subject,
        State state,
        int tries,
        int step,
        boolean inDoubt,
        @Nullable Instant nextAt,
        Instant createdAt,
        @Nullable Instant endedAt,
        @Nullable Integer status,
        @Nullable String why,
        @Nullable String excerpt) {
    /** Failed: the schedule is over, or the receiver wants no more. */
    public enum State {
        WAITING,
        DELIVERED,
        FAILED;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State ofWireName(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT));
        }
    }
}
