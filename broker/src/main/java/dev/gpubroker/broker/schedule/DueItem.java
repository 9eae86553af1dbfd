package dev.gpubroker.broker.schedule;

import java.time.Instant;

/**
 * A piece of due work in a worker's hands.
 *
 * @param fence of this hold; whoever takes the work over has a higher one
 * @param pokes as read; more by the end means somebody asked for another look meanwhile
 * @param tries how often it failed in a row
 */
public record DueItem(String kind, String subject, Instant dueAt, long fence, long pokes, int tries) {}
