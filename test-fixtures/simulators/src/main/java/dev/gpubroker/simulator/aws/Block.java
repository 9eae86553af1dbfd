package dev.gpubroker.simulator.aws;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A bought Capacity Block. Its state follows from the time alone.
 *
 * @param paidAt when the fee is taken; null if it never will be
 */
record Block(
        String id,
        String type,
        String zone,
        int count,
        String platform,
        Map<String, String> tags,
        Instant start,
        Instant end,
        Instant boughtAt,
        @Nullable Instant paidAt) {
    /** How long payments take here; AWS allows itself up to 12 hours. */
    static final Duration PAYMENT = Duration.ofMinutes(2);
    /** An unpaid block is given up after this. */
    static final Duration UNPAID = Duration.ofHours(12);
    /** Machines are taken away this long before the end. */
    static final Duration TAKEN_BACK = Duration.ofMinutes(30);

    String state(Instant now) {
        if (paidAt == null) {
            return now.isBefore(failsAt()) ? "payment-pending" : "payment-failed";
        }
        if (now.isBefore(paidAt)) {
            return "payment-pending";
        }
        if (now.isBefore(start)) {
            return "scheduled";
        }
        return now.isBefore(end) ? "active" : "expired";
    }

    /** What a filter of {@code DescribeCapacityReservations} compares; null for one that does not exist. */
    @Nullable
    String filtered(String name, Instant now) {
        switch (name) {
            case "state":
                return state(now);
            case "instance-type":
                return type;
            case "availability-zone":
                return zone;
            case "start-date":
                return Ec2Xml.time(start);
            case "end-date":
                return Ec2Xml.time(end);
            default:
                return null;
        }
    }

    Instant failsAt() {
        return boughtAt.plus(UNPAID);
    }

    Instant takenBackAt() {
        return end.minus(TAKEN_BACK);
    }
}
