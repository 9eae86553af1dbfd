package dev.gpubroker.verification.simulation;

/** Something that must always hold does not. */
final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;

    /** @param rule which one, a few words that a test can name */
    Broken(String rule, String detail) {
        super(rule + ": " + detail);
        this.rule = rule;
    }

    String rule() {
        return rule;
    }
}
