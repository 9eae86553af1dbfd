package dev.gpubroker.broker.allocation;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What a reservation adds or gives up to have another number of GPUs in its pool, while it keeps those it has: work that
 * runs on them is not moved. Pure.
 *
 * @param added empty when it shrinks
 * @param givenUp the highest indexes, and the last nodes; empty when it grows
 */
record Resize(List<Place.Part> added, List<Place.Part> givenUp) {
    Resize {
        added = List.copyOf(added);
        givenUp = List.copyOf(givenUp);
    }

    /**
     * The first shape of the wish that can be reached from what is held; empty when there is none.
     *
     * @param room the pool as it stands over {@code window}, the reservation's own rectangles included
     * @param wanted with the new number
     */
    static Optional<Resize> of(Room room, String reservationId, Wanted wanted, Window window) {
        List<Held> nodes = room.nodes().stream()
                .map(node -> Held.on(node, reservationId, room, window))
                .toList();
        List<Held> held = nodes.stream().filter(node -> !node.own().isEmpty()).toList();
        int before = held.stream().mapToInt(node -> node.own().cardinality()).sum();
        return Fit.shapes(room, wanted).stream()
                .flatMap(shape -> (wanted.gpus() < before ? less(shape, held) : more(shape, held, nodes)).stream())
                .findFirst();
    }

    private static Optional<Resize> less(Fit.Shape shape, List<Held> held) {
        if (shape.nodes() > held.size()) {
            return Optional.empty();
        }
        List<Place.Part> givenUp = new ArrayList<>();
        for (int i = 0; i < held.size(); i++) {
            Held node = held.get(i);
            int kept = i < shape.nodes() ? shape.gpus() : 0;
            if (node.own().cardinality() < kept || (kept > 0 && !node.suits(shape))) {
                return Optional.empty();
            }
            BitSet lost = new BitSet();
            node.own().stream().skip(kept).forEach(lost::set);
            givenUp.addAll(node.parts(lost));
        }
        return Optional.of(new Resize(List.of(), givenUp));
    }

    private static Optional<Resize> more(Fit.Shape shape, List<Held> held, List<Held> nodes) {
        int others = shape.nodes() - held.size();
        if (others < 0 || held.stream().anyMatch(node -> !node.suits(shape))) {
            return Optional.empty();
        }
        List<Place.Part> added = new ArrayList<>();
        for (Held node : held) {
            int missing = shape.gpus() - node.own().cardinality();
            if (missing < 0 || node.free().cardinality() < missing) {
                return Optional.empty();
            }
            added.addAll(node.parts(node.nearest(missing)));
        }
        List<Held> fresh = nodes.stream()
                .filter(node -> node.own().isEmpty() && node.suits(shape))
                .filter(node -> node.free().cardinality() >= shape.gpus())
                .sorted(comparingInt((Held node) -> node.free().cardinality())
                        .thenComparing(node -> node.node().id()))
                .limit(others)
                .toList();
        fresh.forEach(node -> added.addAll(node.parts(node.nearest(shape.gpus()))));
        return fresh.size() < others ? Optional.empty() : Optional.of(new Resize(added, List.of()));
    }

    /** A node, the reservation's own GPUs on it, and those that are free throughout. */
    private record Held(Room.Node node, BitSet own, BitSet free) {
        static Held on(Room.Node node, String reservationId, Room room, Window window) {
            BitSet own = new BitSet();
            BitSet free = new BitSet();
            free.set(0, node.gpus());
            for (Room.Taken taken : node.taken()) {
                if (!taken.blocks(window, room.turnaround())) {
                    continue;
                }
                if (reservationId.equals(taken.reservationId())) {
                    own.set(taken.first(), taken.end());
                }
                free.clear(taken.first(), taken.end());
            }
            return new Held(node, own, free);
        }

        boolean suits(Fit.Shape shape) {
            return !shape.whole() || node.gpus() == shape.gpus();
        }

        /** So many free GPUs, as close to its own as can be, so that they stay one run where possible. */
        BitSet nearest(int count) {
            Comparator<Integer> closest = own.isEmpty()
                    ? Comparator.naturalOrder()
                    : comparing((Integer index) -> index > own.length() - 1
                                    ? index - own.length() + 1
                                    : own.nextSetBit(0) - index + node.gpus())
                            .thenComparing(Comparator.naturalOrder());
            BitSet chosen = new BitSet();
            free.stream().boxed().sorted(closest).limit(count).forEach(chosen::set);
            return chosen;
        }

        /** Runs of neighbouring indexes. */
        List<Place.Part> parts(BitSet indexes) {
            return IntStream.iterate(
                            indexes.nextSetBit(0),
                            from -> from >= 0,
                            from -> indexes.nextSetBit(indexes.nextClearBit(from)))
                    .mapToObj(from -> new Place.Part(node.id(), node.name(), from, indexes.nextClearBit(from) - from))
                    .toList();
        }
    }
}
