/** What a plan costs, line by line, until when that holds, and what comes back when it is cancelled. */
@NullMarked
package dev.gpubroker.broker.quote;

import org.jspecify.annotations.NullMarked;
