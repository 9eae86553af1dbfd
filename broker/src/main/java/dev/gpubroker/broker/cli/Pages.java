package dev.gpubroker.broker.cli;

import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Reservation;
import dev.gpubroker.client.model.ReservationEvent;
import dev.gpubroker.client.model.ReservationEvents;
import dev.gpubroker.client.model.Reservations;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists that the broker gives page by page, read to their end. */
final class Pages {
    private static final int PAGE = 200;

    private Pages() {}

    /** Which reservations; null means any. */
    record Filter(
            @Nullable String state,
            @Nullable String model,
            @Nullable String from,
            @Nullable String to) {}

    /** Newest first. */
    static List<Reservation> reservations(Session session, Filter filter, int most) throws ApiException {
        List<Reservation> all = new ArrayList<>();
        String cursor = null;
        do {
            Reservations page = session.reservations()
                    .listReservations(
                            filter.state(),
                            null,
                            filter.model(),
                            filter.from(),
                            filter.to(),
                            cursor,
                            Math.min(PAGE, most - all.size()));
            all.addAll(page.getItems());
            cursor = page.getNextCursor();
        } while (cursor != null && all.size() < most);
        return all;
    }

    /** Oldest first. */
    static List<ReservationEvent> events(Session session, String reservation) throws ApiException {
        List<ReservationEvent> all = new ArrayList<>();
        String cursor = null;
        do {
            ReservationEvents page = session.reservations().listReservationEvents(reservation, cursor, PAGE);
            all.addAll(page.getItems());
            cursor = page.getNextCursor();
        } while (cursor != null);
        return all;
    }
}
