package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations.PoolView;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.request.BookingRequest;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Everything that planning looks at.
 *
 * @param candidates asked models first, then stand-ins, best first
 * @param rejected models that were left aside before any platform was asked
 * @param places room in own pools over the window
 * @param pools pools that could ever serve, whatever they hold now
 * @param refusals offers that are passed over for a while
 */
public record PlanningInput(
        BookingRequest request,
        List<Candidate> candidates,
        List<Rejection> rejected,
        Snapshot snapshot,
        List<Place> places,
        List<PoolView> pools,
        LeadTimes leadTimes,
        RecentRefusals refusals,
        Compliance compliance,
        Policy policy,
        Instant now) {
    public PlanningInput {
        candidates = List.copyOf(candidates);
        rejected = List.copyOf(rejected);
        places = List.copyOf(places);
        pools = List.copyOf(pools);
    }

    /** Whether a platform holds what is asked for on a day. */
    public interface Compliance {
        /** Why not, or empty. */
        Optional<String> lacks(String platform, Set<String> ids, LocalDate on);

        /** Whether it is known that data of the platform stays in a country (ISO 3166); never assumed. */
        default boolean keepsDataIn(String platform, String country) {
            return false;
        }

        /** Whether a kind of customer may buy there; only what is known to be ruled out is. */
        default boolean sellsTo(String platform, String customerType) {
            return true;
        }
    }

    /** The window asked for; a start that has passed already means from now. */
    public Window window() {
        Window asked = request.window();
        return asked.start().isBefore(now) && now.isBefore(asked.end()) ? new Window(now, asked.end()) : asked;
    }
}
