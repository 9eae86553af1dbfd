/** Work that is due: rows that say when, workers that hold one under a fence, wake-ups that say "look now", the demo clock's walk. */
@NullMarked
package dev.gpubroker.broker.schedule;

import org.jspecify.annotations.NullMarked;
