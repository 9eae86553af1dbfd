package dev.gpubroker.simulator;

import java.util.Set;

/**
 * Sees every request whose signature is right, before it has any effect and whatever fault then hits it. For checks of what
 * a client sends and when. It is called under the platform's lock: while it runs, the platform stands still.
 */
@FunctionalInterface
public interface SimWatcher {
    /** @param operations as faults name them; empty for calls that no fault hits */
    void received(String platform, Set<String> operations, SimRequest request);
}
