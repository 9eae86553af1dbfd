package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.http.Scope;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /v1/trust-rules}. */
final class TrustRuleRoutes implements Routes {
    private static final Logger LOG = LoggerFactory.getLogger(TrustRuleRoutes.class);
    private static final int MOST_SHOWN = 1000;

    private final Database database;
    private final PgTeams teams;
    private final PgTrustRules rules;
    private final IssuerAddress addresses;
    private final AuditLog audit;
    private final ZoneId zone;
    private final InstantSource wall;

    TrustRuleRoutes(
            Database database,
            PgTeams teams,
            PgTrustRules rules,
            IssuerAddress addresses,
            AuditLog audit,
            ZoneId zone,
            InstantSource wall) {
        this.database = database;
        this.teams = teams;
        this.rules = rules;
        this.addresses = addresses;
        this.audit = audit;
        this.zone = zone;
        this.wall = wall;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listTrustRules", this::listTrustRules)
                .on("createTrustRule", this::createTrustRule)
                .on("deleteTrustRule", this::deleteTrustRule);
    }

    private Future<ApiReply> listTrustRules(ApiRequest request) {
        return rules.list(database.pool(), MOST_SHOWN)
                .map(all ->
                        ApiReply.ok(Map.of("items", all.stream().map(this::json).toList())));
    }

    private Future<ApiReply> createTrustRule(ApiRequest request) {
        String by = request.caller().name();
        TrustRule asked = request.bodyAs(TrustRuleBody.class).toRule(addresses, by, wall.instant());
        return database.inTransaction(connection -> teams.exists(connection, asked.team())
                        .compose(known -> known
                                ? withPools(connection, asked)
                                : Future.failedFuture(Fields.noSuchTeam("team", asked.team())))
                        .compose(rule -> rules.insert(connection, rule)
                                .compose(done -> audit.add(
                                        connection,
                                        rule.createdAt(),
                                        rule.team(),
                                        by,
                                        "rule_created",
                                        rule.id(),
                                        rule.issuer()))
                                .map(rule)))
                .map(rule -> {
                    LOG.info("trust rule {} for team {} was made by {}", rule.id(), rule.team(), by);
                    return ApiReply.created("/v1/trust-rules/" + rule.id(), json(rule));
                });
    }

    private Future<TrustRule> withPools(SqlConnection connection, TrustRule rule) {
        List<String> given = rule.pools();
        if (given == null) {
            return Future.succeededFuture(rule);
        }
        return rules.pools(connection, rule.team(), given).map(found -> {
            int unknown = found.indexOf("");
            if (unknown >= 0) {
                throw new ApiProblem(Problem.invalidField(
                        "pools[" + unknown + "]",
                        "unknown",
                        "is no pool of the team " + rule.team(),
                        "不是团队 " + rule.team() + " 的资源池"));
            }
            return new TrustRule(
                    rule.id(),
                    rule.team(),
                    rule.issuer(),
                    rule.audience(),
                    rule.kind(),
                    rule.repositoryId(),
                    rule.ownerId(),
                    rule.ref(),
                    rule.refType(),
                    rule.refProtected(),
                    rule.environment(),
                    rule.pullRequests(),
                    rule.claims(),
                    rule.scopes(),
                    rule.cap(),
                    found,
                    rule.ticketLifetime(),
                    rule.createdBy(),
                    rule.createdAt());
        });
    }

    private Future<ApiReply> deleteTrustRule(ApiRequest request) {
        String id = request.path("id");
        String by = request.caller().name();
        Instant now = wall.instant();
        return database.inTransaction(connection -> rules.delete(connection, id)
                        .compose(team -> team.isPresent()
                                ? audit.add(connection, now, team.get(), by, "rule_removed", id, null)
                                : Future.failedFuture(Fields.notFound("trust rule", "信任规则", id))))
                .map(done -> {
                    LOG.info("trust rule {} and its tickets were ended by {}", id, by);
                    return ApiReply.noContent();
                });
    }

    private Map<String, Object> json(TrustRule rule) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", rule.id());
        json.put("team", rule.team());
        json.put("issuer", rule.issuer());
        json.put("audience", rule.audience());
        json.put("kind", rule.kind().wireName());
        json.put("repositoryId", rule.repositoryId());
        json.put("ownerId", rule.ownerId());
        json.put("ref", rule.ref());
        json.put("refType", rule.refType());
        json.put("refProtected", rule.refProtected());
        json.put("environment", rule.environment());
        json.put("pullRequests", rule.pullRequests().wireName());
        json.put("claims", rule.claims());
        json.put(
                "grants",
                rule.scopes().stream().sorted().map(scope -> grant(rule, scope)).toList());
        json.put("pools", rule.pools());
        json.put("ticketLifetime", rule.ticketLifetime().toString());
        json.put("createdBy", rule.createdBy());
        json.put("createdAt", Fields.time(rule.createdAt(), zone));
        return json;
    }

    private static Map<String, Object> grant(TrustRule rule, Scope scope) {
        Map<String, Object> grant = new LinkedHashMap<>();
        grant.put("scope", scope.wireName());
        Cap cap = rule.cap();
        grant.put("cap", scope == Scope.BOOK && cap != null ? cap.json() : null);
        return grant;
    }
}
