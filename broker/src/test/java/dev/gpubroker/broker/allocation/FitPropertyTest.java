package dev.gpubroker.broker.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Against trying everything: all sets of nodes, all parts, all indexes. */
class FitPropertyTest {
    private static final Window WINDOW = Rooms.hours(8, 16);

    @Property
    void findsAPlaceExactlyWhenThereIsOneAndTheBest(@ForAll("rooms") Room room, @ForAll("wishes") Wanted wanted) {
        Optional<Fit.Fitted> found = Fit.in(room, wanted, WINDOW);
        Optional<Tried> best = everything(room, wanted).stream().min(Tried.BEST_FIRST);

        assertThat(found.isPresent()).isEqualTo(best.isPresent());
        found.ifPresent(fitted -> {
            assertThat(fitted.place().parts())
                    .hasSize(best.orElseThrow().nodes().size());
            assertThat(fitted.leftOver()).isEqualTo(best.orElseThrow().leftOver(wanted.gpus()));
        });
    }

    @Property
    void whatItFindsIsFreeInEqualPartsOnDifferentNodesFromTheLowestIndex(
            @ForAll("rooms") Room room, @ForAll("wishes") Wanted wanted) {
        Fit.in(room, wanted, WINDOW).map(Fit.Fitted::place).ifPresent(place -> {
            int each = wanted.gpus() / place.parts().size();
            assertThat(place.gpus()).isEqualTo(wanted.gpus());
            assertThat(place.parts()).extracting(Place.Part::gpus).containsOnly(each);
            assertThat(place.parts())
                    .extracting(Place.Part::nodeId)
                    .doesNotHaveDuplicates()
                    .isSorted();
            for (Place.Part part : place.parts()) {
                Room.Node node = room.nodes().stream()
                        .filter(one -> one.id().equals(part.nodeId()))
                        .findFirst()
                        .orElseThrow();
                assertThat(part.firstGpu()).isEqualTo(lowestRun(node, room.turnaround(), each));
            }
        });
    }

    @Property
    void whatCouldEverFitIsWhatFitsWhenNothingIsTaken(@ForAll("rooms") Room room, @ForAll("wishes") Wanted wanted) {
        boolean inEmpty = Fit.in(emptied(room), wanted, WINDOW).isPresent();

        assertThat(Fit.couldEver(room, wanted)).isEqualTo(inEmpty);
        if (Fit.in(room, wanted, WINDOW).isPresent()) {
            assertThat(inEmpty).isTrue();
        }
    }

    private static Room emptied(Room room) {
        List<Room.Node> nodes = room.nodes().stream()
                .map(node -> new Room.Node(node.id(), node.name(), node.gpus(), List.of()))
                .toList();
        return Rooms.room(room.turnaround(), nodes);
    }

    /** A set of nodes that could serve. */
    private record Tried(List<Room.Node> nodes, int free) {
        static final Comparator<Tried> BEST_FIRST =
                Comparator.comparingInt((Tried tried) -> tried.nodes().size()).thenComparingInt(Tried::free);

        int leftOver(int gpus) {
            return free - gpus;
        }
    }

    private static List<Tried> everything(Room room, Wanted wanted) {
        List<Tried> all = new ArrayList<>();
        int count = room.nodes().size();
        for (int set = 1; set < 1 << count; set++) {
            int chosen = set;
            List<Room.Node> nodes = IntStream.range(0, count)
                    .filter(i -> (chosen >> i & 1) == 1)
                    .mapToObj(room.nodes()::get)
                    .toList();
            if (serves(nodes, wanted, room.turnaround())) {
                int free = nodes.stream()
                        .mapToInt(node -> freeGpus(node, room.turnaround()).size())
                        .sum();
                all.add(new Tried(nodes, free));
            }
        }
        return all;
    }

    private static boolean serves(List<Room.Node> nodes, Wanted wanted, Duration turnaround) {
        if (wanted.gpus() % nodes.size() != 0) {
            return false;
        }
        int each = wanted.gpus() / nodes.size();
        if (wanted.nodes() != null) {
            if (nodes.size() != wanted.nodes()) {
                return false;
            }
        } else if (wanted.singleNode()) {
            if (nodes.size() != 1) {
                return false;
            }
        } else if (wanted.gpus() > 8 && nodes.stream().anyMatch(node -> node.gpus() != each)) {
            return false;
        }
        return nodes.stream().allMatch(node -> lowestRun(node, turnaround, each) >= 0);
    }

    private static int lowestRun(Room.Node node, Duration turnaround, int gpus) {
        TreeSet<Integer> free = freeGpus(node, turnaround);
        return IntStream.range(0, node.gpus())
                .filter(first -> IntStream.range(first, first + gpus).allMatch(free::contains))
                .findFirst()
                .orElse(-1);
    }

    private static TreeSet<Integer> freeGpus(Room.Node node, Duration turnaround) {
        TreeSet<Integer> free = new TreeSet<>();
        for (int gpu = 0; gpu < node.gpus(); gpu++) {
            int index = gpu;
            boolean taken = node.taken().stream().anyMatch(each -> {
                Duration gap = each.outage() ? Duration.ZERO : turnaround;
                Window kept = new Window(
                        each.from().minus(gap),
                        each.to() == null ? Rooms.hour(1_000) : each.to().plus(gap));
                return each.first() <= index && index < each.end() && kept.overlaps(WINDOW);
            });
            if (!taken) {
                free.add(gpu);
            }
        }
        return free;
    }

    @Provide
    Arbitrary<Wanted> wishes() {
        Arbitrary<Integer> gpus = Arbitraries.integers().between(1, 20);
        Arbitrary<Integer> nodes = Arbitraries.integers().between(1, 4).injectNull(0.6);
        return Combinators.combine(gpus, nodes, Arbitraries.of(true, false)).as(Rooms::wanted);
    }

    @Provide
    Arbitrary<Room> rooms() {
        Arbitrary<Room.Taken> taken = Combinators.combine(
                        Arbitraries.integers().between(0, 7),
                        Arbitraries.integers().between(1, 8),
                        Arbitraries.integers().between(0, 20),
                        Arbitraries.integers().between(1, 10),
                        Arbitraries.integers().between(0, 5))
                .as((first, gpus, from, length, kind) -> kind == 0
                        ? Rooms.outage(first, first + gpus, from, length > 8 ? null : from + length)
                        : Rooms.booked(first, first + gpus, from, from + length));
        Arbitrary<List<Room.Taken>> some = taken.list().ofMaxSize(3);
        Arbitrary<Integer> sizes = Arbitraries.of(1, 2, 4, 8, 8, 8, 16);
        Arbitrary<List<Room.Node>> nodes = Combinators.combine(sizes, some)
                .as((gpus, of) -> new Room.Node("", "", gpus, of))
                .list()
                .ofMinSize(1)
                .ofMaxSize(5)
                .map(FitPropertyTest::named);
        return Combinators.combine(Arbitraries.integers().between(0, 2), nodes)
                .as((hours, all) -> Rooms.room(Duration.ofHours(hours), all));
    }

    private static List<Room.Node> named(List<Room.Node> nodes) {
        return IntStream.range(0, nodes.size())
                .mapToObj(i -> new Room.Node(
                        "n" + i, "name" + i, nodes.get(i).gpus(), nodes.get(i).taken()))
                .toList();
    }
}
