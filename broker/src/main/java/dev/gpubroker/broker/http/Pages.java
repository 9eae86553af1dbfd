package dev.gpubroker.broker.http;

import io.vertx.ext.web.Router;

/** Something that is served outside the contract and needs no token. */
@FunctionalInterface
public interface Pages {
    void addTo(Router router);
}
