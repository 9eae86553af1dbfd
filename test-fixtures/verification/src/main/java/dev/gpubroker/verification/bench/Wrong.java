package dev.gpubroker.verification.bench;

/** What was measured was not right: a GPU promised to two, a booking lost. Speed no longer matters then. */
final class Wrong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Wrong(String what) {
        super(what);
    }
}
