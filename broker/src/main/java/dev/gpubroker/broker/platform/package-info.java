/** Adapters, accounts, worker lanes and breakers; the only caller of adapters. */
@NullMarked
package dev.gpubroker.broker.platform;

import org.jspecify.annotations.NullMarked;
