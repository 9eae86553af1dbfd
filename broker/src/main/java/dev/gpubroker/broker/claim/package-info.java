/** Taking, finding and giving back capacity on platforms: never twice, never orphaned; settling what nobody answered. */
@NullMarked
package dev.gpubroker.broker.claim;

import org.jspecify.annotations.NullMarked;
