/** Which model may stand in for the asked one, at what cost in time, and why the others may not. Pure; knows no platform. */
@NullMarked
package dev.gpubroker.broker.substitution;

import org.jspecify.annotations.NullMarked;
