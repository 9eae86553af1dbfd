/** Platforms that are not there: stateful servers that speak a platform's wire format, check its signatures and play its faults. */
@NullMarked
package dev.gpubroker.simulator;

import org.jspecify.annotations.NullMarked;
