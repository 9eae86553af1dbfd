package dev.gpubroker.broker.scenario;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.gpubroker.broker.identity.TestIssuer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Where a job of GitHub gets its OIDC tokens: a fresh one for each request, for the audience that is asked for. */
final class GitHubTokens implements AutoCloseable {
    static final String REQUEST_TOKEN = "request-token-of-the-job";

    private final HttpServer server;
    private final TestIssuer issuer;
    final List<String> given = new CopyOnWriteArrayList<>();
    /** Claims that are otherwise than in GitHub's example. */
    volatile Map<String, Object> changed = Map.of();

    GitHubTokens(TestIssuer issuer) throws IOException {
        this.issuer = issuer;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/token", this::answer);
        server.start();
    }

    /** As the runner sets them: the address has a query already. */
    Map<String, String> variables() {
        return Map.of(
                "ACTIONS_ID_TOKEN_REQUEST_URL",
                "http://127.0.0.1:" + server.getAddress().getPort() + "/token?api-version=2.0",
                "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
                REQUEST_TOKEN);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!("bearer " + REQUEST_TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            Map<String, Object> claims = issuer.github(Instant.now());
            claims.put("aud", audience(exchange.getRequestURI()));
            claims.putAll(changed);
            String token = TestIssuer.sign(claims);
            given.add(token);
            byte[] body = ("{\"count\":1,\"value\":\"" + token + "\"}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static String audience(URI asked) {
        for (String part : asked.getRawQuery().split("&")) {
            if (part.startsWith("audience=")) {
                return URLDecoder.decode(part.substring("audience=".length()), StandardCharsets.UTF_8);
            }
        }
        return "the one that GitHub takes by itself";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
