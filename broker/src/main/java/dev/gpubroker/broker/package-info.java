/** The service: built by hand from its packages, top to bottom. */
@NullMarked
package dev.gpubroker.broker;

import org.jspecify.annotations.NullMarked;
