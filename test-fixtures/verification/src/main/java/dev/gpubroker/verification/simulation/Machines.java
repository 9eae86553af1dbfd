package dev.gpubroker.verification.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What runs on the platforms is what the ledger says: never more than was asked, nothing left behind, and nothing touched
 * that is not ours.
 */
final class Machines implements Rule {
    /** A release pauses ten minutes at most. */
    private static final Duration RELEASE_PATIENCE = Duration.ofHours(1);
    /** The sweep looks every hour, and may just have failed to look; then it is released. */
    private static final Duration SWEEP_PATIENCE = Duration.ofHours(4);

    /** What did not come while it was looked for is looked for every six hours; then it is released. */
    private static final Duration WATCH_PATIENCE = Duration.ofHours(7);

    private static final int LOOKS = 2;

    /** When a reservation began to give back, or ended. */
    private final Map<String, Instant> leaving = new HashMap<>();

    /** Since when a claim is no longer wanted, and since when it is closed. */
    private final Map<String, Instant> unwanted = new HashMap<>();

    private final Map<String, Instant> closed = new HashMap<>();
    private final Set<String> givenUp = new HashSet<>();
    /** The most machines that were ever planned for a reservation. */
    private final Map<String, Integer> planned = new HashMap<>();
    /** When an account last held what the ledger does not know. */
    private Instant stopped = Instant.EPOCH;

    @Override
    public void check(World world, Picture picture) {
        remember(world, picture);
        Map<String, Ledger.Claimed> claims = picture.claimsByKey();
        Map<String, Instant> untouchable = world.newcomers.untouchable();
        Map<String, Integer> bought = new HashMap<>();
        Map<String, Set<Integer>> wanted = new HashMap<>();
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
            isGivenBack(world, machine, claim, picture);
        }
        picture.bookings().forEach(booking -> noMoreThanPlanned(booking, picture));
        picture.events().forEach(event -> lostWithoutReason(world, event, picture));
        endedWithOpenClaims(picture);
    }

    private void remember(World world, Picture picture) {
        for (Ledger.Event event : picture.events()) {
            if (event.after() != null && (event.after().equals("releasing") || Ledger.isEnd(event.after()))) {
                leaving.putIfAbsent(event.reservation(), event.at());
            }
        }
        for (Audit.Change change : picture.changes()) {
            note(unwanted, change.key(), change.unwanted(), change.at());
            if (change.notListed() >= LOOKS) {
                givenUp.add(change.key());
            }
            note(closed, change.key(), !Ledger.isOpen(String.valueOf(change.after())), change.at());
        }
        if (world.newcomers.hasUnknown()) {
            stopped = picture.now(); // Nothing is swept there.
        }
    }

    private static void note(Map<String, Instant> since, String key, boolean now, Instant at) {
        if (now) {
            since.putIfAbsent(key, at);
        } else {
            since.remove(key);
        }
    }

    /** Looks back as well: a machine that was gone too late is as bad as one that is there still. */
    private void isGivenBack(World world, Platforms.Machine machine, Ledger.Claimed claim, Picture picture) {
        if (isAWindow(machine)) {
            return;
        }
        Instant now = picture.now();
        Instant until = machine.row().releasedAt() == null ? now : machine.row().releasedAt();
        Instant counts = Stream.of(
                        machine.row().createdAt(),
                        picture.calmSince(),
                        world.platforms.troubledUntil(machine.platform()))
                .max(Instant::compareTo)
                .orElseThrow();
        Duration patience = givenUp.contains(claim.key()) ? WATCH_PATIENCE : RELEASE_PATIENCE;
        isInTime(leaving.get(claim.reservation()), counts, until, patience, "its reservation ends", machine);
        if (claim.isOpen()) {
            isInTime(unwanted.get(claim.key()), counts, until, patience, "it is not wanted", machine);
        } else if (machine.isLive()) {
            Instant swept = stopped.isAfter(counts) ? stopped : counts;
            isInTime(closed.get(claim.key()), swept, until, SWEEP_PATIENCE, "its claim is " + claim.state(), machine);
        }
    }

    /** A bought window that cannot be given back stays as a row until it ends by itself. */
    private static boolean isAWindow(Platforms.Machine machine) {
        return machine.platform().equals("aws")
                && (!machine.isLive()
                        || Set.of("payment-pending", "scheduled", "active")
                                .contains(machine.row().state()));
    }

    private static void isInTime(
            @Nullable Instant since,
            Instant counts,
            Instant until,
            Duration patience,
            String why,
            Platforms.Machine machine) {
        if (since == null) {
            return;
        }
        Duration late = Duration.between(since.isAfter(counts) ? since : counts, until);
        if (late.compareTo(patience) > 0) {
            throw new Broken(
                    "machines are given back",
                    why + " since " + since + ", and " + (machine.isLive() ? "still there after " : "gone after ")
                            + late + ": " + machine);
        }
    }

    /** All claims of one attempt, whatever became of them. */
    private void noMoreThanPlanned(Ledger.Booking booking, Picture picture) {
        int most = planned.merge(booking.id(), booking.nodes(), Math::max);
        Map<Integer, Integer> asked = new HashMap<>();
        picture.claims().stream()
                .filter(claim -> claim.reservation().equals(booking.id()))
                .forEach(claim -> asked.merge(claim.attempt(), claim.nodes(), Integer::sum));
        asked.forEach((attempt, nodes) -> {
            if (most > 0 && nodes > most) {
                throw new Broken(
                        "nothing is bought twice", booking + " asks for " + nodes + " machines in attempt " + attempt);
            }
        });
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
