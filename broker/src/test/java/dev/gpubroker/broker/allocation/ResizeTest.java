package dev.gpubroker.broker.allocation;

import static dev.gpubroker.broker.allocation.Rooms.booked;
import static dev.gpubroker.broker.allocation.Rooms.hour;
import static dev.gpubroker.broker.allocation.Rooms.hours;
import static dev.gpubroker.broker.allocation.Rooms.node;
import static dev.gpubroker.broker.allocation.Rooms.onNodes;
import static dev.gpubroker.broker.allocation.Rooms.oneNode;
import static dev.gpubroker.broker.allocation.Rooms.outage;
import static dev.gpubroker.broker.allocation.Rooms.room;
import static dev.gpubroker.broker.allocation.Rooms.spread;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class ResizeTest {
    private static final Window REST = hours(10, 20);

    private static Room.Taken ours(int first, int end) {
        return new Room.Taken(first, end, hour(0), hour(20), false, "rsv_1");
    }

    private static Optional<Resize> resized(Room room, Wanted wanted) {
        return Resize.of(room, "rsv_1", wanted, REST);
    }

    private static List<String> texts(List<Place.Part> parts) {
        return parts.stream()
                .map(part -> part.nodeId() + ":" + part.firstGpu() + "+" + part.gpus())
                .toList();
    }

    private static List<String> added(Optional<Resize> resize) {
        return resize.map(found -> texts(found.added())).orElse(List.of("impossible"));
    }

    private static List<String> givenUp(Optional<Resize> resize) {
        return resize.map(found -> texts(found.givenUp())).orElse(List.of("impossible"));
    }

    @Test
    void moreGpusComeFromTheSameNodeBesideThoseThatAreHeld() {
        Room room = room(node("n1", 8, ours(2, 4)), node("n2", 8));

        assertThat(added(resized(room, oneNode(4)))).containsExactly("n1:4+2");
        assertThat(added(resized(room, oneNode(8)))).containsExactly("n1:0+2", "n1:4+4");
    }

    @Test
    void moreGpusThanTheNodeHasFreeAreImpossible() {
        Room room = room(node("n1", 8, ours(0, 4), booked(6, 8, 15, 30)), node("n2", 8));

        assertThat(added(resized(room, oneNode(6)))).containsExactly("n1:4+2");
        assertThat(resized(room, oneNode(7))).isEmpty();
    }

    @Test
    void moreThanEightAreFurtherWholeNodesOfThePool() {
        Room room = room(node("n1", 8, booked(0, 1, 19, 30)), node("n2", 8, ours(0, 8)), node("n3", 8));

        assertThat(added(resized(room, spread(16)))).containsExactly("n3:0+8");
        assertThat(resized(room, spread(24))).isEmpty();
        assertThat(resized(room, spread(12))).isEmpty();
    }

    @Test
    void aPartOfANodeIsFilledUpBeforeFurtherNodesAreTaken() {
        Room room = room(node("n1", 8, ours(0, 4)), node("n2", 8));

        assertThat(added(resized(room, spread(16)))).containsExactly("n1:4+4", "n2:0+8");
    }

    @Test
    void anOutageAndTheTurnaroundOfANeighbourAreNoRoom() {
        Room broken = room(node("n1", 8, ours(0, 4), outage(5, 6, 18, null)));
        Room late = room(Duration.ofHours(2), List.of(node("n1", 8, ours(0, 4), booked(4, 8, 21, 30))));

        assertThat(resized(broken, oneNode(8))).isEmpty();
        assertThat(added(resized(broken, oneNode(5)))).containsExactly("n1:4+1");
        assertThat(resized(late, oneNode(5))).isEmpty();
    }

    @Test
    void theHighestIndexesAndTheLastNodesAreGivenUp() {
        Room one = room(node("n1", 8, ours(2, 8)));
        Room two = room(node("n1", 8, ours(0, 8)), node("n2", 8, ours(0, 8)));

        assertThat(givenUp(resized(one, oneNode(4)))).containsExactly("n1:6+2");
        assertThat(givenUp(resized(two, spread(8)))).containsExactly("n2:0+8");
        assertThat(givenUp(resized(two, oneNode(3)))).containsExactly("n1:3+5", "n2:0+8");
        assertThat(resized(two, spread(12))).isEmpty();
    }

    @Test
    void aRequestForSoManyNodesKeepsGpusPerNode() {
        Room room = room(node("n1", 8, ours(0, 4)), node("n2", 8, ours(0, 4)), node("n3", 8, booked(0, 4, 0, 30)));

        assertThat(added(resized(room, onNodes(12, 3)))).containsExactly("n3:4+4");
        assertThat(givenUp(resized(room, onNodes(4, 1)))).containsExactly("n2:0+4");
    }

    @Property(tries = 500)
    void whatIsAddedIsFreeAndWhatIsGivenUpWasHeld(@ForAll("rooms") Room room, @ForAll("wishes") Wanted wanted) {
        int before = held(room);

        resized(room, wanted).ifPresent(found -> {
            int more = found.added().stream().mapToInt(Place.Part::gpus).sum();
            int less = found.givenUp().stream().mapToInt(Place.Part::gpus).sum();
            assertThat(before + more - less).isEqualTo(wanted.gpus());
            assertThat(found.added())
                    .allSatisfy(part -> assertThat(nodeOf(room, part)
                                    .takenDuring(REST, room.turnaround())
                                    .get(part.firstGpu(), part.firstGpu() + part.gpus())
                                    .isEmpty())
                            .isTrue());
            assertThat(found.givenUp())
                    .allSatisfy(part -> assertThat(nodeOf(room, part).taken())
                            .anyMatch(taken -> "rsv_1".equals(taken.reservationId())
                                    && taken.first() <= part.firstGpu()
                                    && taken.end() >= part.firstGpu() + part.gpus()));
        });
    }

    private static int held(Room room) {
        return room.nodes().stream()
                .flatMap(node -> node.taken().stream())
                .filter(taken -> "rsv_1".equals(taken.reservationId()))
                .mapToInt(taken -> taken.end() - taken.first())
                .sum();
    }

    private static Room.Node nodeOf(Room room, Place.Part part) {
        return room.nodes().stream()
                .filter(node -> node.id().equals(part.nodeId()))
                .findFirst()
                .orElseThrow();
    }

    @Provide
    Arbitrary<Wanted> wishes() {
        return Combinators.combine(Arbitraries.integers().between(1, 24), Arbitraries.of(true, false))
                .as((gpus, single) -> single && gpus <= 8 ? oneNode(gpus) : spread(gpus));
    }

    @Provide
    Arbitrary<Room> rooms() {
        Arbitrary<Integer> mine = Arbitraries.integers().between(0, 4);
        Arbitrary<Room.Taken> other = Combinators.combine(
                        Arbitraries.integers().between(4, 7),
                        Arbitraries.integers().between(0, 25))
                .as((first, from) -> booked(first, first + 1, from, from + 5));
        return Combinators.combine(mine, mine, other, other)
                .as((one, two, beside, further) -> room(
                        one == 0 ? node("n1", 8, beside) : node("n1", 8, ours(0, one), beside),
                        two == 0 ? node("n2", 8, further) : node("n2", 8, ours(0, two), further),
                        node("n3", 8)));
    }
}
