/** Where teams want their news: endpoints, their secrets, and what is sent there by the rules of Standard Webhooks. */
@NullMarked
package dev.gpubroker.broker.webhook;

import org.jspecify.annotations.NullMarked;
