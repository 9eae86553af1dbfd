/** What only a person can decide: written down once, shown, answered with one of a few words. */
@NullMarked
package dev.gpubroker.broker.task;

import org.jspecify.annotations.NullMarked;
