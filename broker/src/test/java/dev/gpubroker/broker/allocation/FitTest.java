package dev.gpubroker.broker.allocation;

import static dev.gpubroker.broker.allocation.Rooms.booked;
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
import org.junit.jupiter.api.Test;

class FitTest {
    private static final Window WINDOW = hours(10, 20);

    @Test
    void theNodeWithTheLeastFreeGpusThatFitsIsTaken() {
        Room room = room(node("n1", 8), node("n2", 8, booked(0, 4, 0, 99)), node("n3", 8, booked(0, 6, 0, 99)));

        assertThat(parts(room, oneNode(3))).containsExactly("n2:4+3");
    }

    @Test
    void theGpusLieInOneRunFromTheLowestIndex() {
        Room room = room(node("n1", 8, booked(1, 2, 0, 99), booked(4, 5, 0, 99)));

        assertThat(parts(room, oneNode(1))).containsExactly("n1:0+1");
        assertThat(parts(room, oneNode(2))).containsExactly("n1:2+2");
        assertThat(parts(room, oneNode(3))).containsExactly("n1:5+3");
        assertThat(parts(room, oneNode(4))).isEmpty();
    }

    @Test
    void bookingsThatEndAtTheStartOrBeginAtTheEndAreNotInTheWay() {
        Room room = room(node("n1", 8, booked(0, 8, 0, 10), booked(0, 8, 20, 30)));

        assertThat(parts(room, oneNode(8))).containsExactly("n1:0+8");
    }

    @Test
    void turnaroundIsKeptOnBothSidesOfABookingButNotOfAnOutage() {
        Duration hour = Duration.ofHours(1);

        assertThat(parts(room(hour, List.of(node("n1", 8, booked(0, 8, 0, 10)))), oneNode(8)))
                .isEmpty();
        assertThat(parts(room(hour, List.of(node("n1", 8, booked(0, 8, 20, 30)))), oneNode(8)))
                .isEmpty();
        assertThat(parts(room(hour, List.of(node("n1", 8, booked(0, 8, 0, 9), booked(0, 8, 21, 30)))), oneNode(8)))
                .containsExactly("n1:0+8");
        assertThat(parts(room(hour, List.of(node("n1", 8, outage(0, 8, 0, 10)))), oneNode(8)))
                .containsExactly("n1:0+8");
    }

    @Test
    void anOutageWithoutEndBlocksWhateverComesAfter() {
        assertThat(parts(room(node("n1", 8, outage(0, 8, 5, null))), oneNode(1)))
                .isEmpty();
    }

    @Test
    void moreThanEightTakeEqualWholeNodes() {
        Room room = room(node("n1", 8), node("n2", 8, booked(7, 8, 0, 99)), node("n3", 8), node("n4", 16));

        assertThat(parts(room, spread(16))).containsExactly("n4:0+16");
        assertThat(parts(room, spread(24))).isEmpty();
        assertThat(parts(room, spread(12))).isEmpty();
    }

    @Test
    void moreThanEightOnOneNodeNeedANodeThatHasThem() {
        assertThat(parts(room(node("n1", 8), node("n2", 8)), oneNode(16))).isEmpty();
        assertThat(parts(room(node("n1", 8), node("n2", 16)), oneNode(12))).containsExactly("n2:0+12");
    }

    @Test
    void nodesDivideTheCountAndTakeEqualParts() {
        Room room = room(node("n1", 8), node("n2", 8, booked(0, 4, 0, 99)), node("n3", 8));

        assertThat(parts(room, onNodes(8, 2))).containsExactly("n1:0+4", "n2:4+4");
        assertThat(parts(room, onNodes(24, 3))).isEmpty();
        assertThat(parts(room, onNodes(8, 3))).isEmpty();
        assertThat(parts(room, onNodes(12, 3))).containsExactly("n1:0+4", "n2:4+4", "n3:0+4");
    }

    @Test
    void upToEightMaySpreadOverAsFewNodesAsPossible() {
        Room room = room(
                node("n1", 8, booked(0, 4, 0, 99)),
                node("n2", 8, booked(0, 4, 0, 99)),
                node("n3", 8, booked(2, 8, 0, 99)));

        assertThat(parts(room, spread(4))).containsExactly("n1:4+4");
        assertThat(parts(room, spread(8))).containsExactly("n1:4+4", "n2:4+4");
        assertThat(parts(room, spread(6))).containsExactly("n1:4+3", "n2:4+3");
    }

    @Test
    void amongPoolsTheOneWithTheLeastLeftOverComesFirst() {
        Room wide = new Room("pol_1", "wide", "A100", 8, Duration.ZERO, List.of(node("n1", 8)));
        Room tight = new Room("pol_2", "tight", "A100", 8, Duration.ZERO, List.of(node("n2", 4)));

        assertThat(Fit.best(List.of(wide, tight), oneNode(4), WINDOW))
                .extracting(Place::poolName)
                .containsExactly("tight", "wide");
    }

    @Test
    void whatCouldEverFitDoesNotAskWhatIsTaken() {
        Room full = room(node("n1", 8, booked(0, 8, 0, 99)));

        assertThat(Fit.couldEver(full, oneNode(8))).isTrue();
        assertThat(Fit.couldEver(full, oneNode(9))).isFalse();
        assertThat(Fit.couldEver(full, spread(16))).isFalse();
        assertThat(Fit.couldEver(full, onNodes(8, 2))).isFalse();
    }

    private static List<String> parts(Room room, Wanted wanted) {
        return Fit.in(room, wanted, WINDOW)
                .map(fitted -> Rooms.parts(fitted.place()))
                .orElse(List.of());
    }
}
