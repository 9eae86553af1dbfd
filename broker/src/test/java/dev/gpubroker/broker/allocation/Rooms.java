package dev.gpubroker.broker.allocation;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rooms and wishes for tests. Hours count from a fixed midnight. */
final class Rooms {
    static final Instant MIDNIGHT = Instant.parse("2026-12-20T00:00:00Z");

    private Rooms() {}

    static Instant hour(long hour) {
        return MIDNIGHT.plus(Duration.ofHours(hour));
    }

    static Window hours(long from, long to) {
        return new Window(hour(from), hour(to));
    }

    static Room room(Room.Node... nodes) {
        return room(Duration.ZERO, List.of(nodes));
    }

    static Room room(Duration turnaround, List<Room.Node> nodes) {
        return new Room("pol_1", "lab", "A100", 8, turnaround, nodes);
    }

    static Room.Node node(String id, int gpus, Room.Taken... taken) {
        return new Room.Node(id, id + "-name", gpus, List.of(taken));
    }

    /** GPUs {@code [first, end)} booked over hours {@code [from, to)}. */
    static Room.Taken booked(int first, int end, long from, long to) {
        return new Room.Taken(first, end, hour(from), hour(to), false, null);
    }

    static Room.Taken outage(int first, int end, long from, @Nullable Integer to) {
        return new Room.Taken(first, end, hour(from), to == null ? null : hour(to), true, null);
    }

    static Wanted oneNode(int gpus) {
        return wanted(gpus, null, true);
    }

    static Wanted spread(int gpus) {
        return wanted(gpus, null, false);
    }

    static Wanted onNodes(int gpus, int nodes) {
        return wanted(gpus, nodes, true);
    }

    static Wanted wanted(int gpus, @Nullable Integer nodes, boolean singleNode) {
        return new Wanted("default", Set.of("A100"), gpus, nodes, singleNode, false, Set.of());
    }

    /** Every part as {@code node:first+gpus}. */
    static List<String> parts(Place place) {
        List<String> parts = new ArrayList<>();
        place.parts().forEach(part -> parts.add(part.nodeId() + ":" + part.firstGpu() + "+" + part.gpus()));
        return parts;
    }
}
