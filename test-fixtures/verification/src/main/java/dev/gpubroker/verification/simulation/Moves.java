package dev.gpubroker.verification.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Reservations move along their table and come to an end. */
final class Moves implements Rule {
    private static final Map<String, Set<String>> MOVES = Map.of(
            "queued", Set.of("offered", "ordering", "confirmed", "releasing", "cancelled", "expired", "failed"),
            "offered", Set.of("queued", "ordering", "confirmed", "releasing", "cancelled", "expired", "failed"),
            "ordering", Set.of("queued", "offered", "confirmed", "releasing", "cancelled", "expired", "failed"),
            "confirmed", Set.of("ordering", "provisioning", "releasing", "cancelled", "failed"),
            "provisioning", Set.of("ordering", "active", "releasing", "failed"),
            "active", Set.of("releasing"),
            "releasing", Set.of("completed", "cancelled", "failed", "no_show"));

    private final Map<String, String> states = new HashMap<>();

    @Override
    public void check(World world, Picture picture) {
        for (Ledger.Event event : picture.events()) {
            String after = event.after();
            if (after == null) {
                continue;
            }
            String before = states.put(event.reservation(), after);
            boolean begins = before == null && event.what().equals("created");
            if (!begins && !MOVES.getOrDefault(String.valueOf(before), Set.of()).contains(after)) {
                throw new Broken("a reservation moves along its table", "from " + before + ": " + event);
            }
        }
        for (Ledger.Booking booking : picture.bookings()) {
            if (!booking.state().equals(states.get(booking.id()))) {
                throw new Broken(
                        "every change of state has its event", booking + ", by its events " + states.get(booking.id()));
            }
        }
    }

    @Override
    public void checkEnd(World world, Picture picture) {
        for (Ledger.Booking booking : picture.bookings()) {
            if (!booking.isEnded()) {
                throw new Broken("every reservation comes to an end", booking.toString());
            }
        }
    }
}
