package dev.gpubroker.adapter.spi;

/** From when capacity runs that a platform sells. */
public enum Term {
    /** Taken from today's stock; it runs, and costs, from the moment it is taken. */
    NOW,
    /** A window that begins in the future is sold today. */
    FORWARD
}
