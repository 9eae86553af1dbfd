package dev.gpubroker.broker.allocation;

import static dev.gpubroker.broker.allocation.Rooms.booked;
import static dev.gpubroker.broker.allocation.Rooms.hour;
import static dev.gpubroker.broker.allocation.Rooms.hours;
import static dev.gpubroker.broker.allocation.Rooms.node;
import static dev.gpubroker.broker.allocation.Rooms.oneNode;
import static dev.gpubroker.broker.allocation.Rooms.outage;
import static dev.gpubroker.broker.allocation.Rooms.room;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.Conflict;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class FreeTimesTest {
    @Test
    void theFirstFreeWindowBeginsWhenSomethingEnds() {
        Room room = room(node("n1", 8, booked(0, 8, 0, 30)), node("n2", 8, booked(0, 8, 5, 26)));

        assertThat(FreeTimes.earliest(List.of(room), oneNode(8), hours(10, 12), hour(40), 3))
                .containsExactly(hours(26, 28), hours(28, 30), hours(30, 32));
    }

    @Test
    void aGapThatIsTooShortIsNoFreeWindow() {
        Room room = room(node("n1", 8, booked(0, 8, 0, 20), booked(0, 8, 22, 30)));

        assertThat(FreeTimes.earliest(List.of(room), oneNode(8), hours(10, 13), hour(40), 1))
                .containsExactly(hours(30, 33));
        assertThat(FreeTimes.earliest(List.of(room), oneNode(8), hours(10, 12), hour(40), 1))
                .containsExactly(hours(20, 22));
    }

    @Test
    void theHorizonIsTheLastStart() {
        Room room = room(node("n1", 8, booked(0, 8, 0, 20)));

        assertThat(FreeTimes.earliest(List.of(room), oneNode(8), hours(10, 15), hour(20), 9))
                .containsExactly(hours(20, 25));
        assertThat(FreeTimes.earliest(List.of(room), oneNode(8), hours(10, 15), hour(19), 9))
                .isEmpty();
    }

    @Test
    void windowsStartOnTheHourEvenWhereTurnaroundEndsBetween() {
        Room room = room(Duration.ofMinutes(30), List.of(node("n1", 8, booked(0, 8, 0, 20))));
        Window odd = new Window(hour(10).plusSeconds(61), hour(12).plusSeconds(61));

        assertThat(FreeTimes.earliest(List.of(room), oneNode(8), odd, hour(40), 1))
                .containsExactly(hours(21, 23));
    }

    @Test
    void inAZoneWithHalfHoursTheHourIsTheirs() {
        Room room = room(node("n1", 8, booked(0, 8, 0, 20)));
        Duration half = Duration.ofMinutes(30);
        Window india = new Window(hour(10).plus(half), hour(12).plus(half));

        assertThat(FreeTimes.earliest(List.of(room), oneNode(8), india, hour(40), 1))
                .containsExactly(new Window(hour(20).plus(half), hour(22).plus(half)));
    }

    @Property(tries = 500)
    void theSweepFindsWhatTryingEveryHourFinds(@ForAll("rooms") Room room, @ForAll("wishes") Wanted wanted) {
        Window around = hours(10, 14);

        assertThat(FreeTimes.earliest(List.of(room), wanted, around, hour(60), 4))
                .isEqualTo(everyHour(room, wanted, around, 60, 4));
    }

    private static List<Window> everyHour(Room room, Wanted wanted, Window around, int horizon, int limit) {
        List<Window> found = new ArrayList<>();
        Instant start = around.start();
        while (!start.isAfter(hour(horizon)) && found.size() < limit) {
            Window window = Window.of(start, around.length());
            boolean fits = Fit.in(room, wanted, window).isPresent();
            if (fits) {
                found.add(window);
            }
            start = fits ? window.end() : start.plus(Duration.ofHours(1));
        }
        return found;
    }

    @Provide
    Arbitrary<Wanted> wishes() {
        return Combinators.combine(Arbitraries.of(1, 2, 4, 8, 16), Arbitraries.of(true, false))
                .as((gpus, single) -> Rooms.wanted(gpus, null, single));
    }

    @Provide
    Arbitrary<Room> rooms() {
        Arbitrary<Room.Taken> taken = Combinators.combine(
                        Arbitraries.integers().between(0, 4),
                        Arbitraries.integers().between(1, 8),
                        Arbitraries.integers().between(0, 60),
                        Arbitraries.integers().between(1, 20),
                        Arbitraries.integers().between(0, 9))
                .as((first, gpus, from, length, kind) -> kind == 0
                        ? outage(first, first + gpus, from, from + length)
                        : booked(first, first + gpus, from, from + length));
        Arbitrary<List<Room.Taken>> many = taken.list().ofMaxSize(8);
        return Combinators.combine(Arbitraries.of(0, 30, 60, 90), many, many)
                .as((minutes, one, other) -> room(
                        Duration.ofMinutes(minutes),
                        List.of(new Room.Node("n1", "n1", 8, one), new Room.Node("n2", "n2", 8, other))));
    }

    @Test
    void whatIsInTheWayIsToldOnceAndAnExtendedReservationAsOneSpan() {
        Room.Taken first = new Room.Taken(0, 4, hour(5), hour(12), false, "rsv_1");
        Room.Taken extension = new Room.Taken(0, 4, hour(12), hour(15), false, "rsv_1");
        Room room = room(node("n1", 8, first, extension, outage(4, 8, 11, null)), node("n2", 8, booked(0, 8, 20, 30)));

        assertThat(FreeTimes.inTheWay(List.of(room), hours(10, 20), 9))
                .containsExactly(
                        new Conflict("rsv_1", null, "n1-name", 0, 4, hours(5, 15)),
                        new Conflict(null, null, "n1-name", 4, 4, hours(11, 20)));
        assertThat(FreeTimes.inTheWay(List.of(room), hours(10, 20), 1))
                .extracting(Conflict::window)
                .containsExactly(hours(5, 15));
    }
}
