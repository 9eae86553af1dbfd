/** Simulates Amazon EC2 Capacity Blocks: sells windows, launches machines into them and takes them away at their end. */
@NullMarked
package dev.gpubroker.simulator.aws;

import org.jspecify.annotations.NullMarked;
