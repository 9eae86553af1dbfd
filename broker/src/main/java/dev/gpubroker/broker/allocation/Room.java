package dev.gpubroker.broker.allocation;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.adapter.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One pool as it stands over a span of time.
 *
 * @param turnaround kept free between two bookings of the same GPUs
 * @param nodes in the order of their ids
 */
record Room(String poolId, String poolName, String model, int gpusPerNode, Duration turnaround, List<Node> nodes) {
    Room {
        requireNonNull(turnaround, "turnaround");
        nodes = List.copyOf(nodes);
    }

    /** @param taken in no order; outages and bookings may overlap each other */
    record Node(String id, String name, int gpus, List<Taken> taken) {
        Node {
            taken = List.copyOf(taken);
        }

        /** The GPUs that are not free for the whole window. */
        BitSet takenDuring(Window window, Duration turnaround) {
            BitSet indexes = new BitSet(gpus);
            for (Taken each : taken) {
                if (each.blocks(window, turnaround)) {
                    indexes.set(Math.min(each.first(), gpus), Math.min(each.end(), gpus));
                }
            }
            return indexes;
        }
    }

    /**
     * GPUs {@code [first, end)} that somebody has, or that are out of order.
     *
     * @param to exclusive; null as long as nobody knows
     * @param outage needs no turnaround: what is repaired can be used at once
     * @param reservationId null for outages and leases
     */
    record Taken(
            int first,
            int end,
            Instant from,
            @Nullable Instant to,
            boolean outage,
            @Nullable String reservationId) {
        boolean blocks(Window window, Duration turnaround) {
            Duration gap = outage ? Duration.ZERO : turnaround;
            return from.isBefore(window.end().plus(gap))
                    && (to == null || window.start().isBefore(to.plus(gap)));
        }

        /**
         * Between these two, both excluded, no window of the length may begin, or it would be blocked.
         *
         * @param endless what stands for the end while nobody knows it
         */
        Window blockedStarts(Duration length, Duration turnaround, Instant endless) {
            Duration gap = outage ? Duration.ZERO : turnaround;
            Instant after = from.minus(length).minus(gap);
            Instant until = to == null ? endless : to.plus(gap);
            return new Window(after, until.isAfter(after) ? until : after.plusNanos(1));
        }
    }
}
