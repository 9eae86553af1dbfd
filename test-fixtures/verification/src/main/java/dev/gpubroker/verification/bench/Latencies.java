package dev.gpubroker.verification.bench;

import java.util.Arrays;

/** Every latency of a run, none left out or put into buckets. */
final class Latencies {
    private final long[] sorted;

    /** @param nanos in any order */
    Latencies(long[] nanos) {
        sorted = nanos.clone();
        Arrays.sort(sorted);
    }

    int count() {
        return sorted.length;
    }

    /** The smallest latency that at least this share of the calls did not exceed, in milliseconds. */
    double percentile(double percent) {
        if (sorted.length == 0) {
            throw new IllegalStateException("nothing was measured");
        }
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return sorted[Math.max(1, rank) - 1] / 1e6;
    }
}
