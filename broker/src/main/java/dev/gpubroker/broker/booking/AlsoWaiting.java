package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.schedule.DueHandler.Hold;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Others who wait in the one line for own capacity, beside reservations: leases. */
public interface AlsoWaiting {
    /** Kind of due work that looks at what is inside reservations, to be poked when one begins, ends or changes. */
    String INSIDE = "lease_line";

    /** Subject of that work. */
    String ALL = "all";

    /**
     * Begins a walk down the line.
     *
     * @param hold of the walk: once another is asked for, room may have come free behind the walker's back, and nobody is
     *     given any more in this one
     */
    Future<Turns> begin(Hold hold);

    /** What somebody at this place has to leave to those in front of it. */
    Future<Front> inFront(String team, Window window, Place place);

    /** Counts that these were let down once more. */
    Future<Void> passed(List<String> ids);

    /**
     * @param kept names of pools that are kept for some of them
     * @param pools what each of them could use, by id
     */
    record Front(Set<String> kept, Map<String, Set<String>> pools) {
        public Front {
            kept = Set.copyOf(kept);
            pools = Map.copyOf(pools);
        }

        public static Front nobody() {
            return new Front(Set.of(), Map.of());
        }

        /** Those who could have used one of these pools. */
        List<String> passedBy(Set<String> taken) {
            return pools.entrySet().stream()
                    .filter(each -> each.getValue().stream().anyMatch(taken::contains))
                    .map(Map.Entry::getKey)
                    .toList();
        }
    }

    /** A walk down the line. Reservations are given their turns by the caller, the others here, in between. */
    interface Turns {
        /** Gives everybody a turn who stands before this place. */
        Future<Void> before(Place place, Reservations front);

        /** Gives everybody a turn who has had none. */
        Future<Void> rest(Reservations front);

        /** Whether nobody has had a turn in vain. */
        boolean isEmpty();

        /** Whether somebody who has had a turn in vain keeps the pool. */
        boolean isKept(String team, String pool, Window window);

        /** Somebody behind was given room in the pool. */
        Future<Void> passed(String team, String pool, Window window);
    }

    /** Reservations that have had their turn in vain. */
    interface Reservations {
        boolean isEmpty();

        boolean isKept(String team, String pool, Window window);

        Future<Void> passed(String team, String pool, Window window);
    }

    /** Where somebody stands. */
    record Place(int priority, Instant joinedAt, String id) implements Comparable<Place> {
        /** Of somebody who comes now. */
        static final Place LAST = new Place(Integer.MIN_VALUE, Instant.MAX, "");

        @Override
        public int compareTo(Place other) {
            int byPriority = Integer.compare(other.priority, priority);
            int byTime = joinedAt.compareTo(other.joinedAt);
            return byPriority != 0 ? byPriority : byTime != 0 ? byTime : id.compareTo(other.id);
        }
    }
}
