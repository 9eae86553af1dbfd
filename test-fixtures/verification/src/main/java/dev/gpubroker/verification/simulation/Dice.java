package dev.gpubroker.verification.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** Chance that comes out alike for the same seed. Each step has dice of its own, so no step's throws depend on another's. */
final class Dice {
    private final SplittableRandom random;

    Dice(long seed, long step) {
        this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + step);
    }

    /** From {@code least} to {@code most}, both included. */
    int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    @SafeVarargs
    final <T> T pick(T... from) {
        return from[random.nextInt(from.length)];
    }
}
