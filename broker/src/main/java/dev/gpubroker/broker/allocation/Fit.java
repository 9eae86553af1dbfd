package dev.gpubroker.broker.allocation;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;
import static java.util.Comparator.reverseOrder;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Where wanted GPUs fit, best first: on as few nodes as the shape allows, on the nodes that have the least left over, on the
 * lowest indexes in one run. Pure.
 */
final class Fit {
    /** Up to so many are looked for on one node; more take whole nodes. */
    private static final int USUAL_NODE = 8;

    private static final Comparator<Fitted> BEST_FIRST = comparingInt(
                    (Fitted fitted) -> fitted.place().parts().size())
            .thenComparingInt(Fitted::leftOver)
            .thenComparing(fitted -> fitted.place().poolName())
            .thenComparing(fitted -> fitted.place().poolId());

    private Fit() {}

    /** The best place of each pool that has one, best first. */
    static List<Place> best(List<Room> rooms, Wanted wanted, Window window) {
        return rooms.stream()
                .flatMap(room -> in(room, wanted, window).stream())
                .sorted(BEST_FIRST)
                .map(Fitted::place)
                .toList();
    }

    /** GPUs of the pool that are free throughout the window. */
    static int free(Room room, Window window) {
        return room.nodes().stream()
                .mapToInt(node -> free(node, room, window).free())
                .sum();
    }

    /** Whether the pool could ever take it, were nothing else in it. */
    static boolean couldEver(Room room, Wanted wanted) {
        List<Free> nodes = room.nodes().stream()
                .map(node -> new Free(node, new BitSet(), node.gpus()))
                .toList();
        return shapes(room, wanted).stream()
                .anyMatch(shape -> place(room, shape, nodes).isPresent());
    }

    /** The best place of one pool. */
    static Optional<Fitted> in(Room room, Wanted wanted, Window window) {
        List<Shape> shapes = shapes(room, wanted);
        if (shapes.isEmpty()) {
            return Optional.empty();
        }
        List<Free> nodes =
                room.nodes().stream().map(node -> free(node, room, window)).toList();
        return shapes.stream()
                .flatMap(shape -> place(room, shape, nodes).stream())
                .findFirst();
    }

    /** @param leftOver free GPUs that stay behind on the nodes it uses */
    record Fitted(Place place, int leftOver) {}

    /** So many nodes with so many GPUs each; {@code whole}: nodes of exactly that size. */
    record Shape(int nodes, int gpus, boolean whole) {}

    private record Free(Room.Node node, BitSet taken, int free) {}

    private static Free free(Room.Node node, Room room, Window window) {
        BitSet taken = node.takenDuring(window, room.turnaround());
        return new Free(node, taken, node.gpus() - taken.cardinality());
    }

    /** The shapes that fulfil the wish, fewest nodes first. */
    static List<Shape> shapes(Room room, Wanted wanted) {
        int gpus = wanted.gpus();
        Integer nodes = wanted.nodes();
        if (gpus < 1 || (nodes != null && (nodes < 1 || gpus % nodes != 0))) {
            return List.of();
        }
        if (nodes != null) {
            return List.of(new Shape(nodes, gpus / nodes, false));
        }
        if (wanted.singleNode()) {
            return List.of(new Shape(1, gpus, false));
        }
        if (gpus <= USUAL_NODE) {
            return IntStream.rangeClosed(1, gpus)
                    .filter(parts -> gpus % parts == 0)
                    .mapToObj(parts -> new Shape(parts, gpus / parts, false))
                    .toList();
        }
        return room.nodes().stream()
                .map(Room.Node::gpus)
                .distinct()
                .filter(size -> gpus % size == 0)
                .sorted(reverseOrder())
                .map(size -> new Shape(gpus / size, size, true))
                .toList();
    }

    private static Optional<Fitted> place(Room room, Shape shape, List<Free> nodes) {
        List<Free> chosen = nodes.stream()
                .filter(each -> !shape.whole() || each.node().gpus() == shape.gpus())
                .filter(each -> firstRun(each, shape.gpus()) >= 0)
                .sorted(comparingInt(Free::free)
                        .thenComparing(each -> each.node().id()))
                .limit(shape.nodes())
                .toList();
        if (chosen.size() < shape.nodes()) {
            return Optional.empty();
        }
        List<Place.Part> parts = new ArrayList<>();
        chosen.forEach(each -> parts.add(
                new Place.Part(each.node().id(), each.node().name(), firstRun(each, shape.gpus()), shape.gpus())));
        parts.sort(comparing(Place.Part::nodeId));
        int free = chosen.stream().mapToInt(Free::free).sum();
        Place place = new Place(room.poolId(), room.poolName(), room.model(), room.gpusPerNode(), parts);
        return Optional.of(new Fitted(place, free - place.gpus()));
    }

    /** Lowest index from which so many GPUs in a row are free, or -1. */
    private static int firstRun(Free node, int gpus) {
        int size = node.node().gpus();
        int from = node.taken().nextClearBit(0);
        while (from + gpus <= size) {
            int next = node.taken().nextSetBit(from);
            if (next < 0 || next - from >= gpus) {
                return from;
            }
            from = node.taken().nextClearBit(next);
        }
        return -1;
    }
}
