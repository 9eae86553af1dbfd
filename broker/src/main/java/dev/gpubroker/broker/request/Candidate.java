package dev.gpubroker.broker.request;

import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;

/**
 * One instant that words may mean.
 *
 * @param why what sets it apart, null where there is nothing to say
 */
record Candidate(ZonedDateTime at, @Nullable Words why) {}
