/**
 * The seeded simulation: whole brokers on simulated platforms and a simulated clock live through months of bookings, faults
 * and crashes, and what must always hold is checked after each step.
 */
@NullMarked
package dev.gpubroker.verification.simulation;

import org.jspecify.annotations.NullMarked;
