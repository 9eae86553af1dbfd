package dev.gpubroker.broker.planning;

import dev.gpubroker.broker.request.BookingRequest;
import java.util.List;

/** Which models may serve a request: the asked ones, then those that may stand in. Pure. */
@FunctionalInterface
public interface Candidates {
    Found of(BookingRequest request);

    /** @param rejected models that may not, each with its reason */
    record Found(List<Candidate> candidates, List<Rejection> rejected) {
        public Found {
            candidates = List.copyOf(candidates);
            rejected = List.copyOf(rejected);
        }
    }
}
