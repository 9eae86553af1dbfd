package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.http.Scope;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /v1/tokens}. Takes no idempotency key: a stored answer would be a stored secret. */
final class TokenRoutes implements Routes {
    private static final Logger LOG = LoggerFactory.getLogger(TokenRoutes.class);
    private static final int MOST_SHOWN = 1000;

    private final Database database;
    private final PgTeams teams;
    private final PgTokens tokens;
    private final AuditLog audit;
    private final ZoneId zone;
    private final InstantSource wall;

    TokenRoutes(Database database, PgTeams teams, PgTokens tokens, AuditLog audit, ZoneId zone, InstantSource wall) {
        this.database = database;
        this.teams = teams;
        this.tokens = tokens;
        this.audit = audit;
        this.zone = zone;
        this.wall = wall;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listTokens", this::listTokens)
                .on("createToken", this::createToken)
                .on("revokeToken", this::revokeToken);
    }

    private Future<ApiReply> listTokens(ApiRequest request) {
        return tokens.list(database.pool(), MOST_SHOWN)
                .map(all ->
                        ApiReply.ok(Map.of("items", all.stream().map(this::json).toList())));
    }

    private Future<ApiReply> createToken(ApiRequest request) {
        String by = request.caller().name();
        ApiToken token = request.bodyAs(TokenBody.class).toToken(by, wall.instant());
        Secret secret = Secret.next(Secret.TOKEN);
        return database.inTransaction(connection -> teams.exists(connection, token.team())
                        .compose(known -> known
                                ? tokens.insert(connection, token, secret)
                                : Future.failedFuture(Fields.noSuchTeam("team", token.team())))
                        .compose(done -> audit.add(
                                connection,
                                token.createdAt(),
                                token.team(),
                                by,
                                "token_created",
                                token.id(),
                                token.name())))
                .map(done -> {
                    LOG.info("token {} for team {} was made by {}", token.id(), token.team(), by);
                    Map<String, Object> shown = json(token);
                    shown.put("secret", secret.reveal());
                    return ApiReply.created("/v1/tokens/" + token.id(), shown);
                });
    }

    private Future<ApiReply> revokeToken(ApiRequest request) {
        String id = request.path("id");
        String by = request.caller().name();
        Instant now = wall.instant();
        return database.inTransaction(connection -> tokens.revoke(connection, id, now)
                        .compose(revoked -> revoked.isPresent()
                                ? audit.add(
                                        connection,
                                        now,
                                        revoked.get().team(),
                                        by,
                                        "token_revoked",
                                        id,
                                        revoked.get().name())
                                : Future.failedFuture(Fields.notFound("token", "令牌", id))))
                .map(done -> {
                    LOG.info("token {} was revoked by {}", id, by);
                    return ApiReply.noContent();
                });
    }

    private Map<String, Object> json(ApiToken token) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", token.id());
        json.put("name", token.name());
        json.put("team", token.team());
        json.put("scopes", token.scopes().stream().sorted().map(Scope::wireName).toList());
        json.put("cap", token.cap() == null ? null : token.cap().json());
        json.put("createdBy", token.createdBy());
        json.put("createdAt", Fields.time(token.createdAt(), zone));
        json.put("expiresAt", Fields.timeOrNull(token.expiresAt(), zone));
        return json;
    }
}
