/** What platforms say they have: immutable snapshots, who stayed silent, the history of stock and the waits it teaches. */
@NullMarked
package dev.gpubroker.broker.inventory;

import org.jspecify.annotations.NullMarked;
