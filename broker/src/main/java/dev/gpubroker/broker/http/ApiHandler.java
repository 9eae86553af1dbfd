package dev.gpubroker.broker.http;

import io.vertx.core.Future;

/** Answers one operation of the contract. Runs on the event loop and must not block. */
@FunctionalInterface
public interface ApiHandler {
    /**
     * Answers a request that has passed identity, idempotency and the contract's schema. A refusal is a future failed
     * with (or a thrown) {@link ApiProblem}; anything else that fails becomes {@code 500 internal_error}.
     */
    Future<ApiReply> handle(ApiRequest request);
}
