package dev.gpubroker.simulator;

import java.time.InstantSource;

/**
 * What a simulated platform stands on.
 *
 * @param businessTime the time of its world: starts, ends, late effects
 * @param wallTime judges how fresh a signature is, since SDKs stamp wall time
 */
public record SimEnvironment(SimStore store, InstantSource businessTime, InstantSource wallTime) {}
