/** What CI jobs hold: leases of GPUs inside reservations and of own pools, the line for them, and their heartbeats. */
@NullMarked
package dev.gpubroker.broker.lease;

import org.jspecify.annotations.NullMarked;
