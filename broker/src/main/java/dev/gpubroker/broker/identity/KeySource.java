package dev.gpubroker.broker.identity;

import com.nimbusds.jose.jwk.JWK;
import io.vertx.core.Future;
import java.util.Map;

/** Asks an issuer for its keys. */
@FunctionalInterface
interface KeySource {
    /** Public keys for signatures, by their id; fails if the issuer does not answer as it should. */
    Future<Map<String, JWK>> fetch(String issuer);
}
