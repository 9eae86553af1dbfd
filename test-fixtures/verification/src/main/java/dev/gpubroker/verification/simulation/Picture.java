package dev.gpubroker.verification.simulation;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Ledger and platforms after a step, read once for all rules.
 *
 * @param calmSince from then on no walk left due work behind, as a busy machine makes it happen; what is late is measured from here
 * @param events, notes, changes those that came with the step
 */
record Picture(
        Instant now,
        Instant calmSince,
        List<Ledger.Booking> bookings,
        List<Ledger.Claimed> claims,
        List<Ledger.Rectangle> rectangles,
        List<Ledger.Event> events,
        List<Ledger.Note> notes,
        List<Audit.Change> changes,
        List<Platforms.Machine> machines) {
    Map<String, Ledger.Claimed> claimsByKey() {
        return claims.stream().collect(Collectors.toMap(Ledger.Claimed::key, Function.identity()));
    }

    Map<String, Ledger.Booking> bookingsById() {
        return bookings.stream().collect(Collectors.toMap(Ledger.Booking::id, Function.identity()));
    }
}
