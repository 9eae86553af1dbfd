package dev.gpubroker.verification.simulation;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Claims move along their table, are marked as sent once, and never two attempts of one reservation are open. */
final class ClaimMoves implements Rule {
    private static final Set<String> OPEN = Set.of("intended", "accepted", "claimed", "unknown", "releasing");
    private static final Map<String, Set<String>> MOVES = Map.of(
            "intended", Set.of("claimed", "accepted", "refused", "unknown"),
            "accepted", Set.of("claimed", "releasing", "released"),
            "claimed", Set.of("releasing", "released"),
            "unknown", Set.of("claimed", "accepted", "absent"),
            "absent", Set.of("claimed", "accepted", "releasing"),
            "refused", Set.of("releasing"),
            "releasing", Set.of("released"),
            "released", Set.of("releasing"));
    /** Looks that did not find it, before a claim may be given up. */
    private static final int LOOKS = 3;
    /** The shortest settle window of all platforms. */
    private static final Duration LOOKED_FOR = Duration.ofMinutes(10);

    private record Now(String reservation, int attempt, String state) {}

    private final Map<String, Now> claims = new HashMap<>();

    @Override
    public void check(World world, Picture picture) {
        for (Audit.Change change : picture.changes()) {
            isAllowed(change);
            if (change.before() == null) {
                nothingElseIsOpen(change);
            }
            if (change.after() != null) {
                claims.put(change.key(), new Now(change.reservation(), change.attempt(), change.after()));
            }
        }
    }

    private static void isAllowed(Audit.Change change) {
        @Nullable String after = change.after();
        if (after == null) {
            throw new Broken("a claim stays in the ledger", change.toString());
        }
        if (change.before() == null) {
            if (!after.equals("intended") || change.sentAfter() != null) {
                throw new Broken("a claim begins as an intent", change.toString());
            }
            return;
        }
        if (!change.before().equals(after)
                && !MOVES.getOrDefault(change.before(), Set.of()).contains(after)) {
            throw new Broken("a claim moves along its table", change.toString());
        }
        if (change.before().equals("absent") && OPEN.contains(after) && !change.unwanted()) {
            throw new Broken("what was given up is not wanted again", change.toString());
        }
        if (change.sentBefore() != null && !change.sentBefore().equals(change.sentAfter())) {
            throw new Broken("a claim is marked as sent once", change.toString());
        }
        boolean aPersonSaid = change.detail().startsWith("it does not exist, said");
        if (after.equals("absent")
                && !change.before().equals("absent")
                && !aPersonSaid
                && (change.notListed() < LOOKS || wasLookedForFor(change).compareTo(LOOKED_FOR) < 0)) {
            throw new Broken("a claim is looked for long enough", change.toString());
        }
    }

    /** From the last instant at which the request could still arrive. */
    private static Duration wasLookedForFor(Audit.Change change) {
        return change.sentAfter() == null
                ? Duration.ZERO
                : Duration.between(OffsetDateTime.parse(change.sentAfter()).toInstant(), change.at());
    }

    private void nothingElseIsOpen(Audit.Change change) {
        claims.forEach((key, other) -> {
            if (other.reservation().equals(change.reservation())
                    && other.attempt() != change.attempt()
                    && OPEN.contains(other.state())) {
                throw new Broken(
                        "one attempt at a time", change.key() + " begins while " + key + " is " + other.state());
            }
        });
    }
}
