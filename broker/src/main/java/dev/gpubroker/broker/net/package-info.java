/** Calls to addresses that users name: only to places that are public or that the operator allows, checked by address and not by name. */
@NullMarked
package dev.gpubroker.broker.net;

import org.jspecify.annotations.NullMarked;
