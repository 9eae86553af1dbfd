/** What can be had now, where, and how long the rest is waited for. */
@NullMarked
package dev.gpubroker.broker.availability;

import org.jspecify.annotations.NullMarked;
