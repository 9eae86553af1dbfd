/** How values are written to the database: JSON text that reads back equal, and ids that sort by creation. */
@NullMarked
package dev.gpubroker.broker.stored;

import org.jspecify.annotations.NullMarked;
