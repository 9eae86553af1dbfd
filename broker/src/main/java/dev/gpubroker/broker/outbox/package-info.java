/** What leaves after commit: one row per message, delivered by a relay. */
@NullMarked
package dev.gpubroker.broker.outbox;

import org.jspecify.annotations.NullMarked;
