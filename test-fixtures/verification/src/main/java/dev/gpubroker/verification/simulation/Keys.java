package dev.gpubroker.verification.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** One key, one reservation; and whatever was acknowledged exists. */
final class Keys implements Rule {
    @Override
    public void check(World world, Picture picture) {
        Map<String, String> byKey = new HashMap<>();
        Set<String> ids = new HashSet<>();
        for (Ledger.Booking booking : picture.bookings()) {
            ids.add(booking.id());
            String other = byKey.put(booking.title(), booking.id());
            if (other != null && booking.title().startsWith("key-")) {
                throw new Broken("one key books once", booking.title() + " made " + other + " and " + booking.id());
            }
        }
        for (Callers.Known known : world.callers.all()) {
            if (!ids.contains(known.id())) {
                throw new Broken("what was acknowledged exists", known.toString());
            }
        }
    }
}
