package dev.gpubroker.broker.inventory;

import java.time.Duration;

/**
 * How long a flavor was sold out, each time until it was back.
 *
 * @param p50 half of the waits were no longer
 * @param p90 nine in ten were no longer
 * @param observations how many waits were seen from their first to their last moment
 */
public record Wait(Duration p50, Duration p90, int observations) {}
