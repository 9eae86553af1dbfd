/** What whoever runs the broker decides: read from a file and the environment, checked, and told plainly when wrong. */
@NullMarked
package dev.gpubroker.broker.config;

import org.jspecify.annotations.NullMarked;
