package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Grants;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Tickets in PostgreSQL, of their secrets only the digest; and which OIDC tokens have been exchanged. */
final class PgTickets {
    private static final String USE = """
            -- ticket.use_assertion
            INSERT INTO used_assertion (issuer, jti, keep_until) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING""";

    /** False if this OIDC token was exchanged before. */
    Future<Boolean> use(SqlClient client, String issuer, String jti, Instant keepUntil) {
        return client.preparedQuery(USE)
                .execute(Tuple.of(issuer, jti, PgTime.of(keepUntil)))
                .map(done -> done.rowCount() == 1);
    }

    private static final String INSERT = """
            -- ticket.insert
            INSERT INTO ticket (ticket_id, rule_id, name, secret_hash, created_at, expires_at, renewable_until)
            SELECT $1, r.rule_id, $3, $4, $5, $6, $7 FROM trust_rule r WHERE r.rule_id = $2""";

    /** False if the rule has gone meanwhile. */
    Future<Boolean> insert(SqlClient client, Ticket ticket, Secret secret) {
        Tuple values = Tuple.of(
                ticket.id(),
                ticket.ruleId(),
                ticket.name(),
                Buffer.buffer(secret.digest()),
                PgTime.of(ticket.createdAt()),
                PgTime.of(ticket.expiresAt()),
                PgTime.of(ticket.renewableUntil()));
        return client.preparedQuery(INSERT).execute(values).map(done -> done.rowCount() == 1);
    }

    private static final String FIND = """
            -- ticket.find
            SELECT t.ticket_id, t.name, r.rule_id, r.team_id, r.scopes, r.cap_per_booking, r.cap_per_day, r.cap_currency,
                   r.pools IS NOT NULL AS some_pools,
                   ARRAY(SELECT unnest(ARRAY[p.pool_id, p.name]) FROM pool p
                          WHERE p.pool_id = ANY (r.pools) AND p.team_id = r.team_id) AS pools
              FROM ticket t JOIN trust_rule r USING (rule_id)
             WHERE t.secret_hash = $1 AND t.expires_at > $2""";

    /** The job that holds the secret; empty if it has run out, was ended, or its rule has gone. */
    Future<Optional<Caller>> find(SqlClient client, String secret, Instant now) {
        return client.preparedQuery(FIND)
                .execute(Tuple.of(Buffer.buffer(Secret.digestOf(secret)), PgTime.of(now)))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(caller(rows.iterator().next())));
    }

    private static Caller caller(Row row) {
        Cap cap = Cap.read(row);
        Grants grants = new Grants(
                row.getString("ticket_id"),
                PgTokens.scopes(row),
                cap == null ? null : cap.of(row.getString("rule_id")),
                row.getBoolean("some_pools") ? Set.copyOf(List.of(row.getArrayOfStrings("pools"))) : null);
        return new Caller(row.getString("team_id"), row.getString("name"), grants);
    }

    private static final String RENEW = """
            -- ticket.renew
            UPDATE ticket SET expires_at = greatest(expires_at, least($2, renewable_until))
             WHERE ticket_id = $1 AND expires_at > $3
            RETURNING ticket_id, rule_id, name, created_at, expires_at, renewable_until""";

    /** Empty if it has run out. */
    Future<Optional<Ticket>> renew(SqlClient client, String id, Instant until, Instant now) {
        return client.preparedQuery(RENEW)
                .execute(Tuple.of(id, PgTime.of(until), PgTime.of(now)))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(ticket(rows.iterator().next())));
    }

    private static final String DELETE = """
            -- ticket.delete
            DELETE FROM ticket WHERE ticket_id = $1""";

    Future<Boolean> delete(SqlClient client, String id) {
        return client.preparedQuery(DELETE).execute(Tuple.of(id)).map(done -> done.rowCount() == 1);
    }

    private static final String EXPIRE = """
            -- ticket.expire
            DELETE FROM ticket WHERE expires_at < $1""";

    private static final String FORGET = """
            -- ticket.forget_assertions
            DELETE FROM used_assertion WHERE keep_until < $1""";

    /** Removes what has run out. */
    Future<Void> expire(SqlClient client, Instant now) {
        return client.preparedQuery(EXPIRE)
                .execute(Tuple.of(PgTime.of(now)))
                .compose(done -> client.preparedQuery(FORGET).execute(Tuple.of(PgTime.of(now))))
                .mapEmpty();
    }

    private static Ticket ticket(Row row) {
        return new Ticket(
                row.getString("ticket_id"),
                row.getString("rule_id"),
                row.getString("name"),
                PgTime.read(row, "created_at"),
                PgTime.read(row, "expires_at"),
                PgTime.read(row, "renewable_until"));
    }
}
