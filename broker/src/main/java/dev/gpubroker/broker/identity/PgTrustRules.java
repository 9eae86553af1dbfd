package dev.gpubroker.broker.identity;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.gpubroker.broker.identity.TrustRule.Kind;
import dev.gpubroker.broker.identity.TrustRule.PullRequests;
import dev.gpubroker.broker.stored.PgTime;
import dev.gpubroker.broker.stored.StoredJson;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Trust rules in PostgreSQL. */
final class PgTrustRules {
    private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};

    private static final String INSERT = """
            -- trust_rule.insert
            INSERT INTO trust_rule (rule_id, team_id, issuer, audience, kind, repository_id, owner_id, ref, ref_type,
                                    ref_protected, environment, pull_requests, claims, scopes, cap_per_booking, cap_per_day,
                                    cap_currency, pools, ticket_lifetime_seconds, created_by, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::text::jsonb, $14, $15, $16, $17, $18, $19, $20, $21)""";

    Future<Void> insert(SqlClient client, TrustRule rule) {
        List<String> pools = rule.pools();
        Tuple values = Tuple.from(Arrays.asList(
                rule.id(),
                rule.team(),
                rule.issuer(),
                rule.audience(),
                rule.kind().wireName(),
                rule.repositoryId(),
                rule.ownerId(),
                rule.ref(),
                rule.refType(),
                rule.refProtected(),
                rule.environment(),
                rule.pullRequests().wireName(),
                StoredJson.write(rule.claims()),
                PgTokens.names(rule.scopes()),
                Cap.booking(rule.cap()),
                Cap.day(rule.cap()),
                Cap.currency(rule.cap()),
                pools == null ? null : pools.toArray(String[]::new),
                (int) rule.ticketLifetime().toSeconds(),
                rule.createdBy(),
                PgTime.of(rule.createdAt())));
        return client.preparedQuery(INSERT).execute(values).mapEmpty();
    }

    private static final String POOLS = """
            -- trust_rule.pools
            SELECT pool_id, name FROM pool WHERE team_id = $1 AND (pool_id = ANY ($2) OR name = ANY ($2))""";

    /** Ids of the team's pools that are meant, by the name or the id that was given. */
    Future<List<String>> pools(SqlClient client, String team, List<String> given) {
        return client.preparedQuery(POOLS)
                .execute(Tuple.tuple().addString(team).addArrayOfString(given.toArray(String[]::new)))
                .map(rows -> given.stream()
                        .map(wanted -> StreamSupport.stream(rows.spliterator(), false)
                                .filter(row ->
                                        wanted.equals(row.getString("pool_id")) || wanted.equals(row.getString("name")))
                                .map(row -> row.getString("pool_id"))
                                .findFirst()
                                .orElse(""))
                        .toList());
    }

    private static final String COLUMNS = """
            rule_id, team_id, issuer, audience, kind, repository_id, owner_id, ref, ref_type, ref_protected, environment,
            pull_requests, claims::text AS claims, scopes, cap_per_booking, cap_per_day, cap_currency, pools,
            ticket_lifetime_seconds, created_by, created_at""";

    private static final String LIST =
            "-- trust_rule.list\nSELECT " + COLUMNS + " FROM trust_rule ORDER BY rule_id DESC LIMIT $1";

    /** Newest first. */
    Future<List<TrustRule>> list(SqlClient client, int limit) {
        return client.preparedQuery(LIST).execute(Tuple.of(limit)).map(PgTrustRules::rules);
    }

    private static final String OF_ISSUER = "-- trust_rule.of_issuer\nSELECT " + COLUMNS + """
               FROM trust_rule
              WHERE issuer = $1 AND ($2::text IS NULL OR team_id = $2) ORDER BY created_at, rule_id""";

    /** Oldest first; {@code team} null asks for those of all teams. */
    Future<List<TrustRule>> ofIssuer(SqlClient client, String issuer, @Nullable String team) {
        return client.preparedQuery(OF_ISSUER)
                .execute(Tuple.tuple().addString(issuer).addString(team))
                .map(PgTrustRules::rules);
    }

    private static final String DELETE = """
            -- trust_rule.delete
            DELETE FROM trust_rule WHERE rule_id = $1 RETURNING team_id""";

    /** Its team; its tickets end with it. Empty if there is no such rule. */
    Future<Optional<String>> delete(SqlClient client, String id) {
        return client.preparedQuery(DELETE)
                .execute(Tuple.of(id))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(rows.iterator().next().getString("team_id")));
    }

    private static List<TrustRule> rules(RowSet<Row> rows) {
        return StreamSupport.stream(rows.spliterator(), false)
                .map(PgTrustRules::rule)
                .toList();
    }

    private static TrustRule rule(Row row) {
        String[] pools = row.getArrayOfStrings("pools");
        return new TrustRule(
                row.getString("rule_id"),
                row.getString("team_id"),
                row.getString("issuer"),
                row.getString("audience"),
                Kind.ofWireName(row.getString("kind")),
                row.getString("repository_id"),
                row.getString("owner_id"),
                row.getString("ref"),
                row.getString("ref_type"),
                row.getBoolean("ref_protected"),
                row.getString("environment"),
                PullRequests.ofWireName(row.getString("pull_requests")),
                StoredJson.read(row.getString("claims"), TEXTS),
                PgTokens.scopes(row),
                Cap.read(row),
                pools == null ? null : List.of(pools),
                Duration.ofSeconds(row.getInteger("ticket_lifetime_seconds")),
                row.getString("created_by"),
                PgTime.read(row, "created_at"));
    }
}
