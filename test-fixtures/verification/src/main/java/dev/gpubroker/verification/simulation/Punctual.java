package dev.gpubroker.verification.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Whatever the platforms do, a window that begins is begun and one that has passed is over: no reservation is left standing
 * on the way to its end.
 */
final class Punctual implements Rule {
    /** For how long a reservation that got nothing still waits after its start. */
    private static final Duration START_GRACE = Duration.ofHours(1);
    /** A broker that died may have had it in hand. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private final Map<String, Instant> over = new HashMap<>();

    @Override
    public void check(World world, Picture picture) {
        for (Ledger.Event event : picture.events()) {
            if (event.after() != null && (event.after().equals("releasing") || Ledger.isEnd(event.after()))) {
                over.putIfAbsent(event.reservation(), event.at());
            }
        }
        for (Ledger.Booking booking : picture.bookings()) {
            Instant left = over.getOrDefault(booking.id(), picture.now());
            isBy(booking.end(), left, "every reservation comes to an end", booking, picture);
            switch (booking.state()) {
                case "queued", "offered" -> {
                    if (booking.attempts() == 0) {
                        Instant runsOut = booking.start().plus(START_GRACE);
                        isBy(runsOut, picture.now(), "a wait runs out", booking, picture);
                    }
                }
                case "confirmed" -> isBy(booking.start(), picture.now(), "what is certain begins", booking, picture);
                default -> {
                    // Begun, or over.
                }
            }
        }
    }

    private static void isBy(Instant due, Instant done, String rule, Ledger.Booking booking, Picture picture) {
        Instant counts = due.isAfter(picture.calmSince()) ? due : picture.calmSince();
        if (Duration.between(counts, done).compareTo(PATIENCE) > 0) {
            throw new Broken(rule, booking + " at " + picture.now());
        }
    }
}
