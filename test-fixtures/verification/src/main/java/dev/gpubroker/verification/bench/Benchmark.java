package dev.gpubroker.verification.bench;

import java.util.function.Consumer;

/** One benchmark of {@code deploy/bench.sh}. */
interface Benchmark {
    /**
     * Measures, checks, and reports each figure when it is known.
     *
     * @throws Wrong if an answer or the ledger is wrong
     * @throws Exception if it could not be measured
     */
    void run(Bench.Options options, Consumer<Figure> report) throws Exception;
}
