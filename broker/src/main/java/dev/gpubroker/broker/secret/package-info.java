/** Secrets of others that the broker must be able to use again: sealed in the database under a key that lies outside of it. */
@NullMarked
package dev.gpubroker.broker.secret;

import org.jspecify.annotations.NullMarked;
