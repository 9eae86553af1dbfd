/** Own capacity as rectangles: pools, nodes, and which GPUs of which node are whose, when. */
@NullMarked
package dev.gpubroker.broker.allocation;

import org.jspecify.annotations.NullMarked;
