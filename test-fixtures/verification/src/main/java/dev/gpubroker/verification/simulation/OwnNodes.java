package dev.gpubroker.verification.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Own GPUs are promised to one at a time, promised whole, and begun only when the one before has given them back. */
final class OwnNodes implements Rule {
    @Override
    public void check(World world, Picture picture) {
        Map<String, List<Ledger.Rectangle>> live = new HashMap<>();
        picture.rectangles().stream()
                .filter(Ledger.Rectangle::live)
                .forEach(each -> live.computeIfAbsent(each.node(), node -> new java.util.ArrayList<>())
                        .add(each));
        live.values().forEach(OwnNodes::noOverlap);
        picture.bookings().forEach(booking -> isWhole(booking, picture));
        picture.events().forEach(event -> beginsAfterTheOneBefore(event, picture));
    }

    private static void noOverlap(List<Ledger.Rectangle> ofNode) {
        for (int i = 0; i < ofNode.size(); i++) {
            Ledger.Rectangle one = ofNode.get(i);
            if (one.to() > one.nodeGpus()) {
                throw new Broken("a node gives the GPUs it has", one.toString());
            }
            for (Ledger.Rectangle other : ofNode.subList(i + 1, ofNode.size())) {
                if (one.overlaps(other)) {
                    throw new Broken("no GPU is promised to two", one + " and " + other);
                }
            }
        }
    }

    /** What is certain on own nodes has all its GPUs for all that is left of its window; it may have grown while it ran. */
    private static void isWhole(Ledger.Booking booking, Picture picture) {
        boolean certain = booking.state().equals("confirmed")
                || booking.state().equals("provisioning")
                || booking.state().equals("active");
        if (!certain || !booking.isOnOwnNodes()) {
            return;
        }
        Instant from = booking.start().isAfter(picture.now()) ? booking.start() : picture.now();
        Duration held = picture.rectangles().stream()
                .filter(each -> each.live() && each.reservation().equals(booking.id()))
                .map(each -> left(each.start(), each.end(), from).multipliedBy(each.to() - each.from()))
                .reduce(Duration.ZERO, Duration::plus);
        Duration asked = left(booking.start(), booking.end(), from).multipliedBy(booking.gpus());
        if (!held.equals(asked)) {
            throw new Broken(
                    "a confirmed place is whole",
                    booking + " holds " + held.toHours() + " GPU hours of " + asked.toHours());
        }
    }

    private static Duration left(Instant start, Instant end, Instant from) {
        Duration left = Duration.between(start.isAfter(from) ? start : from, end);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private static void beginsAfterTheOneBefore(Ledger.Event event, Picture picture) {
        if (!"active".equals(event.after())) {
            return;
        }
        List<Ledger.Rectangle> own = picture.rectangles().stream()
                .filter(each -> each.reservation().equals(event.reservation()))
                .toList();
        for (Ledger.Rectangle mine : own) {
            for (Ledger.Rectangle earlier : picture.rectangles()) {
                boolean before = !earlier.reservation().equals(mine.reservation())
                        && earlier.meets(mine)
                        && !earlier.end().isAfter(mine.start())
                        && (earlier.live() || earlier.releasedAt() != null);
                Instant released = earlier.releasedAt();
                if (before && (released == null || released.isAfter(event.at()))) {
                    throw new Broken(
                            "a start waits for the end before it", event + " although " + earlier + " was still held");
                }
            }
        }
    }
}
