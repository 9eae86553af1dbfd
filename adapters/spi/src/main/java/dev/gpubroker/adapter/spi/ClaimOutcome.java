package dev.gpubroker.adapter.spi;

/** What a platform answered to a claim. Each case is expected; anything else is a {@link PlatformFault}. */
public sealed interface ClaimOutcome {
    /** Capacity is ours over {@code window}. */
    record Claimed(PlatformRef ref, Window window) implements ClaimOutcome {}

    /** Taken on, certain only later: {@code status(ref)} tells. */
    record Accepted(PlatformRef ref) implements ClaimOutcome {}

    /** Nothing was taken, for certain. {@code detail} is the platform's code and text, without secrets. */
    record Refused(Reason reason, String detail) implements ClaimOutcome {}

    /** Capacity may have been taken: look for it by its key; never claim afresh, never write it off. */
    record Unknown(ClaimKey key) implements ClaimOutcome {}

    /** Handles every case; a new case becomes a new method of {@code Cases}, so no caller can miss it. */
    default <T> T fold(Cases<T> cases) {
        if (this instanceof Claimed c) {
            return cases.claimed(c);
        }
        if (this instanceof Accepted a) {
            return cases.accepted(a);
        }
        return this instanceof Refused r ? cases.refused(r) : cases.unknown((Unknown) this);
    }

    interface Cases<T> {
        T claimed(Claimed claimed);

        T accepted(Accepted accepted);

        T refused(Refused refused);

        T unknown(Unknown unknown);
    }
}
