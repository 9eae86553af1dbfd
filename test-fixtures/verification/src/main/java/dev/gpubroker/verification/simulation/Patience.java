package dev.gpubroker.verification.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** A platform that does not let go yet is asked again after a pause, not as fast as it answers. */
final class Patience implements Rule {
    /** A little less than the shortest pause. */
    private static final Duration PAUSE = Duration.ofSeconds(4);
    /**
     * Whoever takes the work over, a sweep, a cancellation may each ask at once; and a broker that does not know yet that
     * another has moved the clock takes every pause for over, for up to a second.
     */
    private static final int HURRIED_TRIES = 400;

    private record Tried(int tries, Instant at, int hurried) {}

    private final Map<String, Tried> tried = new HashMap<>();

    @Override
    public void check(World world, Picture picture) {
        for (Audit.Change change : picture.changes()) {
            Tried before = tried.getOrDefault(change.key(), new Tried(0, Instant.MIN, 0));
            if (change.releaseTries() > before.tries()) {
                boolean hurried = before.tries() > 0
                        && Duration.between(before.at(), change.at()).compareTo(PAUSE) < 0;
                Tried now = new Tried(change.releaseTries(), change.at(), before.hurried() + (hurried ? 1 : 0));
                tried.put(change.key(), now);
                if (now.hurried() > HURRIED_TRIES) {
                    throw new Broken("a release is not hurried", change.toString());
                }
            }
        }
    }
}
