package dev.gpubroker.broker.allocation;

import static java.util.Comparator.comparing;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Which GPUs a lease gets: on one machine, the one with the least left over, next to each other where that is possible; or, if
 * one machine is too small, several whole machines of one size. Pure.
 */
final class LeaseFit {
    private LeaseFit() {}

    /**
     * A machine as far as it is there to be leased.
     *
     * @param own indexes of the GPUs that are there at all
     * @param free those of them that nobody has
     */
    record Machine(String nodeId, String name, BitSet own, BitSet free) {
        static Machine idle(String nodeId, String name, int gpus) {
            BitSet all = new BitSet(gpus);
            all.set(0, gpus);
            return new Machine(nodeId, name, all, (BitSet) all.clone());
        }

        int size() {
            return own.cardinality();
        }

        int left() {
            return free.cardinality();
        }

        /** Lowest free index from which so many follow each other; -1 if there is none. */
        private int run(int gpus) {
            int from = free.nextSetBit(0);
            while (from >= 0) {
                int end = free.nextClearBit(from);
                if (end - from >= gpus) {
                    return from;
                }
                from = free.nextSetBit(end);
            }
            return -1;
        }
    }

    /** The parts, one for each run of GPUs on a machine; empty if there is no room. */
    static Optional<List<Place.Part>> of(List<Machine> machines, int gpus) {
        return onOne(machines, gpus).or(() -> onWhole(machines, gpus));
    }

    /** Whether there would be room if nobody had anything. */
    static boolean couldEver(List<Machine> machines, int gpus) {
        return of(
                        machines.stream()
                                .map(each -> new Machine(each.nodeId(), each.name(), each.own(), each.own()))
                                .toList(),
                        gpus)
                .isPresent();
    }

    private static Optional<List<Place.Part>> onOne(List<Machine> machines, int gpus) {
        return machines.stream()
                .filter(each -> each.left() >= gpus)
                .min(comparing((Machine each) -> each.run(gpus) < 0)
                        .thenComparing(Machine::left)
                        .thenComparing(Machine::nodeId))
                .map(machine -> parts(machine, gpus));
    }

    private static List<Place.Part> parts(Machine machine, int gpus) {
        List<Place.Part> parts = new ArrayList<>();
        int from = machine.run(gpus);
        if (from >= 0) {
            parts.add(new Place.Part(machine.nodeId(), machine.name(), from, gpus));
            return parts;
        }
        int missing = gpus;
        for (from = machine.free().nextSetBit(0);
                missing > 0;
                from = machine.free().nextSetBit(from)) {
            int run = Math.min(missing, machine.free().nextClearBit(from) - from);
            parts.add(new Place.Part(machine.nodeId(), machine.name(), from, run));
            missing -= run;
            from += run;
        }
        return parts;
    }

    private static Optional<List<Place.Part>> onWhole(List<Machine> machines, int gpus) {
        return machines.stream()
                .map(Machine::size)
                .distinct()
                .sorted(comparing((Integer size) -> -size)) // Fewest machines first.
                .filter(size -> size > 0 && size < gpus && gpus % size == 0)
                .flatMap(size -> wholeOf(machines, size, gpus / size).stream())
                .findFirst();
    }

    private static Optional<List<Place.Part>> wholeOf(List<Machine> machines, int size, int count) {
        List<Machine> chosen = machines.stream()
                .filter(each -> each.size() == size && each.left() == size)
                .sorted(comparing(Machine::nodeId))
                .limit(count)
                .toList();
        return chosen.size() < count
                ? Optional.empty()
                : Optional.of(chosen.stream()
                        .flatMap(each -> parts(each, size).stream())
                        .toList());
    }
}
