/** The command line. */
@NullMarked
package dev.gpubroker.broker.cli;

import org.jspecify.annotations.NullMarked;
