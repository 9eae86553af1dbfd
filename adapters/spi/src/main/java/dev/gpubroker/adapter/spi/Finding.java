package dev.gpubroker.adapter.spi;

/** What a search by claim key brought. */
public sealed interface Finding {
    record Found(PlatformRef ref, ClaimStatus status) implements Finding {}

    /** The platform showed a complete list and the key was not in it. One such answer alone proves nothing. */
    record NotListed() implements Finding {}

    /** No permission, a cut list, a platform that does not answer: never proof of absence. */
    record CannotTell(String detail) implements Finding {}

    default <T> T fold(Cases<T> cases) {
        if (this instanceof Found f) {
            return cases.found(f);
        }
        return this instanceof NotListed n ? cases.notListed(n) : cases.cannotTell((CannotTell) this);
    }

    interface Cases<T> {
        T found(Found found);

        T notListed(NotListed notListed);

        T cannotTell(CannotTell cannotTell);
    }
}
