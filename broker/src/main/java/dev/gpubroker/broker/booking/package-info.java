/** Reservations: booking them, their states, and the one step that takes each of them on. */
@NullMarked
package dev.gpubroker.broker.booking;

import org.jspecify.annotations.NullMarked;
