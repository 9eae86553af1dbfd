/** Simulated platforms beside the broker: started in its process, or found in another one. */
@NullMarked
package dev.gpubroker.broker.simulation;

import org.jspecify.annotations.NullMarked;
