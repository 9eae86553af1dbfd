package dev.gpubroker.adapter.spi;

import java.util.List;

/**
 * One account on one platform as a seller of GPU time. Methods block; the broker calls them on a bounded pool, possibly
 * several at once, so an adapter is safe for use by many threads. Each read throws {@link PlatformFault} when it brought
 * no usable answer.
 */
public interface PlatformAdapter extends AutoCloseable {
    /** Models, shapes, terms, limits and optional features as plain data; does no I/O. */
    Capabilities capabilities();

    /** What can be had at this moment; an ask that is not in the answer is sold out. */
    Offers offers(OfferQuery query);

    /** Every way to pay for an offer; at least one, or a {@link PlatformFault}. */
    List<Price> price(PriceQuery query);

    /** Takes capacity, at most once per {@code request.key()}, never retried inside. Throws only if nothing was taken. */
    ClaimOutcome claim(ClaimRequest request);

    /** How a claim stands; a reference the platform no longer knows is {@link ClaimStatus.Phase#GONE}. */
    ClaimStatus status(PlatformRef ref);

    /** Found, not listed, or cannot tell (no permission, a cut list); settles {@link ClaimOutcome.Unknown}. Only reads. */
    Finding find(ClaimKey key);

    /** Everything that carries this installation's mark and is not gone, complete or a fault; for the sweep. */
    List<Holding> list(String installation);

    /** Gives everything of the reference back, disks and addresses with it; capacity already gone is Gone. */
    ReleaseProgress release(PlatformRef ref);

    @Override
    default void close() {}
}
