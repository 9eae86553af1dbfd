/** Messages on their way to receivers outside: one row per message and receiver, each with its own schedule. */
@NullMarked
package dev.gpubroker.broker.delivery;

import org.jspecify.annotations.NullMarked;
