package dev.gpubroker.verification.simulation;

/** Something that must hold after every step, and perhaps something more at the end. May remember what it saw before. */
interface Rule {
    /** @throws Broken if it does not hold */
    void check(World world, Picture picture);

    /** When every window has passed, every fault is over and everything has settled. */
    default void checkEnd(World world, Picture picture) {}
}
