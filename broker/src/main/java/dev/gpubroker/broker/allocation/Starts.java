package dev.gpubroker.broker.allocation;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;

/**
 * Full hours at which a window of one length might begin, all at once: as bits, each rectangle is laid over the starts that it rules
 * out, once, however many starts there are. Pure.
 */
final class Starts {
    private static final long HOUR_NANOS = Duration.ofHours(1).toNanos();
    /** Eight weeks have 1,344 hours. */
    private static final int MOST = 2_000;

    private final Instant first;
    private final Duration length;
    private final int count;

    /** @param first, horizon the first start and the last, both maybe */
    Starts(Instant first, Instant horizon, Duration length) {
        this.first = first;
        this.length = length;
        this.count = horizon.isBefore(first)
                ? 0
                : (int) Math.min(MOST, Duration.between(first, horizon).toHours() + 1);
    }

    Instant at(int index) {
        return first.plus(Duration.ofHours(index));
    }

    int indexAtOrAfter(Instant instant) {
        return clamp(-Math.floorDiv(-Duration.between(first, instant).toNanos(), HOUR_NANOS));
    }

    private int clamp(long index) {
        return (int) Math.max(0, Math.min(count, index));
    }

    /** Those at which {@link Fit} would find a place in one of the pools. */
    BitSet fitting(List<Room> rooms, Wanted wanted) {
        BitSet fitting = new BitSet(count);
        for (Room room : rooms) {
            for (Fit.Shape shape : Fit.shapes(room, wanted)) {
                fitting.or(fitting(room, shape));
            }
        }
        return fitting;
    }

    /** Those at which enough nodes have a run of enough GPUs. */
    private BitSet fitting(Room room, Fit.Shape shape) {
        int[] nodes = new int[count];
        for (Room.Node node : room.nodes()) {
            if (!shape.whole() || node.gpus() == shape.gpus()) {
                withRun(node, room.turnaround(), shape.gpus()).stream().forEach(start -> nodes[start]++);
            }
        }
        BitSet enough = new BitSet(count);
        for (int start = 0; start < count; start++) {
            enough.set(start, nodes[start] >= shape.nodes());
        }
        return enough;
    }

    private BitSet withRun(Room.Node node, Duration turnaround, int gpus) {
        BitSet[] taken = taken(node, turnaround);
        BitSet free = new BitSet(count);
        for (int from = 0; from + gpus <= node.gpus(); from++) {
            BitSet run = new BitSet(count);
            run.set(0, count);
            for (int gpu = from; gpu < from + gpus; gpu++) {
                run.andNot(taken[gpu]);
            }
            free.or(run);
        }
        return free;
    }

    /** For each GPU the starts at which it would not be free for the whole window. */
    private BitSet[] taken(Room.Node node, Duration turnaround) {
        BitSet[] taken = new BitSet[node.gpus()];
        for (int gpu = 0; gpu < taken.length; gpu++) {
            taken[gpu] = new BitSet(count);
        }
        for (Room.Taken each : node.taken()) {
            Window span = each.blockedStarts(length, turnaround, at(count));
            int from = clamp(Math.floorDiv(Duration.between(first, span.start()).toNanos(), HOUR_NANOS) + 1);
            int to = indexAtOrAfter(span.end());
            for (int gpu = each.first(); from < to && gpu < Math.min(each.end(), taken.length); gpu++) {
                taken[gpu].set(from, to);
            }
        }
        return taken;
    }
}
