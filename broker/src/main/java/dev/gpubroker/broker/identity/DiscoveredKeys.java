package dev.gpubroker.broker.identity;

import com.fasterxml.jackson.databind.JsonNode;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import dev.gpubroker.broker.http.ApiJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.net.URI;
import java.text.ParseException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Finds keys by OpenID Connect Discovery. Follows no redirect, waits not long and reads not much. */
final class DiscoveredKeys implements KeySource {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int LONGEST = 256 * 1024;
    private static final int MOST_KEYS = 100;
    private static final int SHORTEST_RSA = 2048;

    private final HttpClient client;
    private final IssuerAddress addresses;

    DiscoveredKeys(Vertx vertx, IssuerAddress addresses) {
        this.client = vertx.createHttpClient(
                new HttpClientOptions().setConnectTimeout((int) PATIENCE.toMillis()),
                new PoolOptions().setHttp1MaxSize(2));
        this.addresses = addresses;
    }

    @Override
    public Future<Map<String, JWK>> fetch(String issuer) {
        URI discovery = addresses.discovery(issuer).orElse(null);
        if (discovery == null) {
            return Future.failedFuture(new IOException("nothing may be fetched from " + issuer));
        }
        return get(discovery).compose(body -> get(keysOf(issuer, body))).map(DiscoveredKeys::keys);
    }

    private URI keysOf(String issuer, Buffer body) {
        JsonNode said = json(body);
        if (!said.path("issuer").asText().equals(issuer)) {
            throw new IllegalArgumentException("the discovery document is that of another issuer");
        }
        return addresses
                .keys(issuer, said.path("jwks_uri").asText())
                .orElseThrow(() -> new IllegalArgumentException("jwks_uri is not on the issuer's own host"));
    }

    private static Map<String, JWK> keys(Buffer body) {
        try {
            Map<String, JWK> keys = new HashMap<>();
            JWKSet.parse(body.toString()).getKeys().stream()
                    .filter(DiscoveredKeys::isForSignatures)
                    .limit(MOST_KEYS)
                    .forEach(key -> keys.putIfAbsent(key.getKeyID(), key.toPublicJWK()));
            return Map.copyOf(keys);
        } catch (ParseException e) {
            throw new IllegalArgumentException("the issuer's keys cannot be read", e);
        }
    }

    private static boolean isForSignatures(JWK key) {
        boolean strong = key instanceof ECKey || (key instanceof RSAKey && key.size() >= SHORTEST_RSA);
        boolean signs = key.getKeyUse() == null || key.getKeyUse().equals(KeyUse.SIGNATURE);
        return strong && signs && key.getKeyID() != null;
    }

    private static JsonNode json(Buffer body) {
        try {
            return ApiJson.mapper().readTree(body.getBytes());
        } catch (IOException e) {
            throw new IllegalArgumentException("the discovery document is not JSON", e);
        }
    }

    private Future<Buffer> get(URI address) {
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setAbsoluteURI(address.toString())
                .setFollowRedirects(false)
                .setIdleTimeout(PATIENCE.toMillis())
                .putHeader("Accept", "application/json");
        return client.request(options)
                .compose(HttpClientRequest::send)
                .compose(DiscoveredKeys::read)
                .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Future<Buffer> read(HttpClientResponse response) {
        if (response.statusCode() != 200) {
            response.request().reset();
            return Future.failedFuture(new IOException("the issuer answered " + response.statusCode()));
        }
        Promise<Buffer> whole = Promise.promise();
        Buffer body = Buffer.buffer();
        response.handler(chunk -> {
            if (body.length() + chunk.length() > LONGEST) {
                whole.tryFail(new IOException("the issuer's answer is longer than " + LONGEST + " bytes"));
                response.request().reset();
            } else {
                body.appendBuffer(chunk);
            }
        });
        response.exceptionHandler(whole::tryFail);
        response.endHandler(end -> whole.tryComplete(body));
        return whole.future();
    }

    Future<Void> close() {
        return client.close();
    }
}
