package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.ClaimRequest;
import io.vertx.core.Future;

/** Makes the order that is sent of the claim that was written down: some of it only the machine may know. */
@FunctionalInterface
public interface Orders {
    /** Asked once, right before the claim is sent. */
    Future<ClaimRequest> of(Claim claim);

    /** Sends what was written down. */
    static Orders asWritten() {
        return claim -> Future.succeededFuture(claim.request());
    }
}
