package dev.gpubroker.verification.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What runs on the platforms is what the ledger says: never more than was asked, nothing left behind, and nothing touched
 * that is not ours.
 */
final class Machines implements Rule {
    /** The sweep looks every hour, a release pauses ten minutes at most; both may just have failed to look. */
    private static final Duration PATIENCE = Duration.ofHours(4);

    private static final Duration RELEASE_PATIENCE = Duration.ofHours(1);

    private final Map<String, Instant> waitingSince = new HashMap<>();

    @Override
    public void check(World world, Picture picture) {
        Map<String, Ledger.Claimed> claims = picture.claimsByKey();
        Map<String, Ledger.Booking> bookings = picture.bookingsById();
        Map<String, Instant> untouchable = world.newcomers.untouchable();
        Map<String, Integer> bought = new HashMap<>();
        Map<String, Set<Integer>> wanted = new HashMap<>();
        Set<String> waiting = new HashSet<>();
        for (Platforms.Machine machine : picture.machines()) {
            Instant ownEnd = untouchable.get(machine.key());
            if (ownEnd != null) {
                if (!machine.isLive() && picture.now().isBefore(ownEnd)) {
                    throw new Broken("what is not in our ledger is not touched", machine.toString());
                }
                continue;
            }
            Ledger.Claimed claim = claims.get(machine.key());
            if (claim == null) {
                continue;
            }
            int machines = bought.merge(claim.key(), 1, Integer::sum);
            if (machines > claim.nodes()) {
                throw new Broken(
                        "nothing is bought twice",
                        claim.key() + " has got " + machines + " machines, asked for " + claim.nodes());
            }
            if (machine.isLive() && claim.isOpen() && !claim.unwanted()) {
                Set<Integer> attempts = wanted.computeIfAbsent(claim.reservation(), id -> new HashSet<>());
                attempts.add(claim.attempt());
                if (attempts.size() > 1) {
                    throw new Broken("nothing is bought twice", "attempts " + attempts + " of " + claim.reservation());
                }
            }
            overdue(machine, claim, bookings.get(claim.reservation())).ifPresent(why -> {
                String what = why + ": " + machine.row().id() + " of " + claim.key() + " (" + claim.state() + ")";
                waiting.add(what);
                wait(world, machine, what, picture.now(), claim.isOpen() ? RELEASE_PATIENCE : PATIENCE);
            });
        }
        waitingSince.keySet().retainAll(waiting);
        picture.events().forEach(event -> lostWithoutReason(world, event, picture));
        endedWithOpenClaims(picture);
    }

    /** Why the machine should be gone soon, if it should. */
    private static java.util.Optional<String> overdue(
            Platforms.Machine machine,
            Ledger.Claimed claim,
            Ledger.@org.jspecify.annotations.Nullable Booking booking) {
        // A bought window that cannot be given back stays as a row until it ends by itself.
        boolean window = machine.platform().equals("aws")
                && Set.of("payment-pending", "scheduled", "active")
                        .contains(machine.row().state());
        if (!machine.isLive() || window) {
            return java.util.Optional.empty();
        }
        if (!claim.isOpen()) {
            return java.util.Optional.of("a machine without an open claim");
        }
        if (booking != null && booking.state().equals("releasing")) {
            return java.util.Optional.of("a machine whose reservation ends");
        }
        return java.util.Optional.empty();
    }

    private void wait(World world, Platforms.Machine machine, String what, Instant now, Duration patience) {
        boolean excused = world.platforms.isTroubled(machine.platform()) || world.newcomers.hasUnknown();
        Instant since = waitingSince.merge(what, now, (first, second) -> excused ? second : first);
        if (Duration.between(since, now).compareTo(patience) > 0) {
            throw new Broken("machines are given back", what + " for " + Duration.between(since, now));
        }
    }

    private static void endedWithOpenClaims(Picture picture) {
        Map<String, Ledger.Booking> bookings = picture.bookingsById();
        for (Ledger.Claimed claim : picture.claims()) {
            Ledger.Booking booking = bookings.get(claim.reservation());
            boolean late = claim.unwanted() && claim.settledAt() != null; // Appeared after it was given up.
            if (booking != null && booking.isEnded() && claim.isOpen() && !late) {
                throw new Broken("an ending means that everything is given back", booking + " with " + claim);
            }
        }
    }

    /** A machine that the platform ended before its reservation's end, although nobody there had a reason to. */
    private static void lostWithoutReason(World world, Ledger.Event event, Picture picture) {
        boolean lost = event.why() != null && event.why().contains("ended on the platform before");
        boolean killed = picture.claims().stream()
                .filter(claim -> claim.reservation().equals(event.reservation()))
                .anyMatch(claim -> world.newcomers.wasKilled(claim.key()));
        if (lost && !killed) {
            throw new Broken("a machine lasts as long as its reservation", event.toString());
        }
    }

    @Override
    public void checkEnd(World world, Picture picture) {
        for (Platforms.Machine machine : picture.machines()) {
            if (machine.isLive()) {
                throw new Broken("machines left: 0", machine.toString());
            }
        }
        for (Ledger.Claimed claim : picture.claims()) {
            if (claim.isOpen()) {
                throw new Broken("every claim is settled in the end", claim.toString());
            }
        }
    }
}
