/** The mechanics of HTTP: the contract as a router, identity, idempotency, paging, problem documents, probes and pages. Holds no rule of booking. */
@NullMarked
package dev.gpubroker.broker.http;

import org.jspecify.annotations.NullMarked;
