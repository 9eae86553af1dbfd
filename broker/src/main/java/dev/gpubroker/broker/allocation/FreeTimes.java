package dev.gpubroker.broker.allocation;

import static java.util.Comparator.comparing;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Conflict;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** When wanted GPUs would fit, and what is in the way now. Pure. */
final class FreeTimes {
    private static final long HOUR = 3_600;
    private static final long QUARTER = 900;

    private FreeTimes() {}

    /**
     * The earliest window of the length of {@code around} that fits, then the earliest one after it, and so on.
     *
     * @param horizon the last start
     */
    static List<Window> earliest(List<Room> rooms, Wanted wanted, Window around, Instant horizon, int limit) {
        Grid grid = Grid.of(around.start());
        Starts starts = new Starts(grid.atOrAfter(around.start()), horizon, around.length());
        BitSet fits = starts.fitting(rooms, wanted);
        List<Window> found = new ArrayList<>();
        int next = fits.nextSetBit(0);
        while (next >= 0 && found.size() < limit) {
            Window window = Window.of(starts.at(next), around.length());
            found.add(window);
            next = fits.nextSetBit(starts.indexAtOrAfter(grid.atOrAfter(window.end())));
        }
        return found;
    }

    /** What keeps GPUs of these pools from being free for the whole window, each once, earliest first. */
    static List<Conflict> inTheWay(List<Room> rooms, Window window, int limit) {
        Map<Object, Conflict> found = new LinkedHashMap<>();
        for (Room room : rooms) {
            for (Room.Node node : room.nodes()) {
                node.taken().stream()
                        .filter(taken -> taken.blocks(window, room.turnaround()))
                        .map(taken -> conflict(node, taken, window))
                        .forEach(each -> found.merge(whose(each), each, FreeTimes::hull));
            }
        }
        return found.values().stream()
                .sorted(comparing((Conflict each) -> each.window().start())
                        .thenComparing(each -> each.window().end())
                        .thenComparing(Conflict::node)
                        .thenComparing(Conflict::firstGpu))
                .limit(limit)
                .toList();
    }

    private static Conflict conflict(Room.Node node, Room.Taken taken, Window window) {
        int gpus = taken.end() - taken.first();
        return new Conflict(taken.reservationId(), null, node.name(), taken.first(), gpus, span(taken, window));
    }

    /** Rectangles of one reservation on the same GPUs are one thing in the way; outages and leases stand alone. */
    private static Object whose(Conflict each) {
        return each.reservationId() == null
                ? each
                : List.of(each.reservationId(), each.node(), each.firstGpu(), each.gpus());
    }

    /** What has no end yet is in the way until the end at least. */
    private static Window span(Room.Taken taken, Window window) {
        return new Window(taken.from(), taken.to() == null ? window.end() : taken.to());
    }

    /** A reservation that was extended has several rectangles in a row. */
    private static Conflict hull(Conflict one, Conflict other) {
        Instant start = one.window().start().isBefore(other.window().start())
                ? one.window().start()
                : other.window().start();
        Instant end = one.window().end().isAfter(other.window().end())
                ? one.window().end()
                : other.window().end();
        return new Conflict(
                one.reservationId(), one.title(), one.node(), one.firstGpu(), one.gpus(), new Window(start, end));
    }

    /**
     * Full hours. Of the zone the caller counts in: a start on a quarter of an hour is taken as a full hour there, since some
     * zones are so many minutes away.
     */
    private record Grid(long offset) {
        static Grid of(Instant start) {
            boolean quarter = start.getNano() == 0 && start.getEpochSecond() % QUARTER == 0;
            return new Grid(quarter ? Math.floorMod(start.getEpochSecond(), HOUR) : 0);
        }

        Instant atOrAfter(Instant instant) {
            long seconds = instant.getNano() == 0 ? instant.getEpochSecond() : instant.getEpochSecond() + 1;
            long over = Math.floorMod(seconds - offset, HOUR);
            return Instant.ofEpochSecond(over == 0 ? seconds : seconds + HOUR - over);
        }
    }
}
