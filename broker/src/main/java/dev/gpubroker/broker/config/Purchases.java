package dev.gpubroker.broker.config;

/** What an account may spend on its own (DESIGN 6.7). */
public enum Purchases {
    /** Stock, prices and plans only; every claim is refused. The mode of an account that was just connected. */
    OBSERVE,
    /** Every claim waits for a person. */
    APPROVE,
    /** Claims go out by themselves, within the caps. */
    AUTO
}
