package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Grants;
import dev.gpubroker.broker.http.Scope;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Tokens in PostgreSQL; of their secrets only the digest. */
final class PgTokens {
    private static final String INSERT = """
            -- token.insert
            INSERT INTO api_token (token_id, team_id, name, secret_hash, scopes, cap_per_booking, cap_per_day, cap_currency,
                                   created_by, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)""";

    Future<Void> insert(SqlClient client, ApiToken token, Secret secret) {
        Tuple values = Tuple.from(Arrays.asList(
                token.id(),
                token.team(),
                token.name(),
                Buffer.buffer(secret.digest()),
                names(token.scopes()),
                Cap.booking(token.cap()),
                Cap.day(token.cap()),
                Cap.currency(token.cap()),
                token.createdBy(),
                PgTime.of(token.createdAt()),
                PgTime.ofNullable(token.expiresAt())));
        return client.preparedQuery(INSERT).execute(values).mapEmpty();
    }

    private static final String COLUMNS = """
            token_id, team_id, name, scopes, cap_per_booking, cap_per_day, cap_currency, created_by, created_at, expires_at""";

    private static final String LIST = "-- token.list\nSELECT " + COLUMNS
            + " FROM api_token WHERE revoked_at IS NULL ORDER BY token_id DESC LIMIT $1";

    /** Those not revoked, newest first. */
    Future<List<ApiToken>> list(SqlClient client, int limit) {
        return client.preparedQuery(LIST)
                .execute(Tuple.of(limit))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(PgTokens::token)
                        .toList());
    }

    private static final String FIND = "-- token.find\nSELECT " + COLUMNS + """
               FROM api_token
              WHERE secret_hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)""";

    /** Who holds the secret; empty if nobody does any more. */
    Future<Optional<Caller>> find(SqlClient client, String secret, Instant now) {
        return client.preparedQuery(FIND)
                .execute(Tuple.of(Buffer.buffer(Secret.digestOf(secret)), PgTime.of(now)))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(caller(token(rows.iterator().next()))));
    }

    private static Caller caller(ApiToken token) {
        Cap cap = token.cap();
        return new Caller(
                token.team(),
                token.name(),
                new Grants(token.id(), token.scopes(), cap == null ? null : cap.of(token.id()), null));
    }

    private static final String REVOKE = """
            -- token.revoke
            UPDATE api_token SET revoked_at = $2 WHERE token_id = $1 AND revoked_at IS NULL RETURNING team_id, name""";

    /** The team and the name of the token; empty if there is none, or none any more. */
    Future<Optional<Revoked>> revoke(SqlClient client, String id, Instant now) {
        return client.preparedQuery(REVOKE)
                .execute(Tuple.of(id, PgTime.of(now)))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(new Revoked(
                                rows.iterator().next().getString("team_id"),
                                rows.iterator().next().getString("name"))));
    }

    record Revoked(String team, String name) {}

    static String[] names(Set<Scope> scopes) {
        return scopes.stream().sorted().map(Scope::wireName).toArray(String[]::new);
    }

    static Set<Scope> scopes(Row row) {
        return Arrays.stream(row.getArrayOfStrings("scopes"))
                .map(Scope::ofWireName)
                .collect(Collectors.toSet());
    }

    private static ApiToken token(Row row) {
        return new ApiToken(
                row.getString("token_id"),
                row.getString("team_id"),
                row.getString("name"),
                scopes(row),
                Cap.read(row),
                row.getString("created_by"),
                PgTime.read(row, "created_at"),
                PgTime.readNullable(row, "expires_at"));
    }
}
