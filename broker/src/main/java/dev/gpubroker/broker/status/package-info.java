/** How the installation is doing, in one answer. */
@NullMarked
package dev.gpubroker.broker.status;

import org.jspecify.annotations.NullMarked;
