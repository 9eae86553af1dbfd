package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Keeps who made, used and revoked which credential, and what was refused. Never a secret, never an address. */
final class AuditLog {
    private static final String INSERT = """
            -- audit.insert
            INSERT INTO audit_event (at, last_at, team_id, who, what, subject, detail)
            VALUES ($1, $1, $2, $3, $4, $5, $6)""";

    private static final String REFUSED = """
            -- audit.refused
            INSERT INTO audit_event (at, last_at, team_id, who, what, subject, detail, bucket)
            VALUES ($1, $1, NULL, 'anonymous', 'ticket_refused', $2, $3, $4)
            ON CONFLICT (bucket) DO UPDATE SET times = audit_event.times + 1, last_at = EXCLUDED.last_at""";

    private static final String LIST = """
            -- audit.list
            SELECT event_id, at, last_at, team_id, who, what, subject, detail, times
              FROM audit_event WHERE event_id < $1 ORDER BY event_id DESC LIMIT $2""";

    /**
     * What happened.
     *
     * @param subject id of the token, rule, ticket or team, or the issuer that is trusted by some rule
     */
    record Event(
            long id,
            Instant at,
            Instant lastAt,
            @Nullable String team,
            String who,
            String what,
            @Nullable String subject,
            @Nullable String detail,
            int times) {}

    /** In the transaction of what it tells. */
    Future<Void> add(
            SqlClient client,
            Instant at,
            @Nullable String team,
            String who,
            String what,
            String subject,
            @Nullable String detail) {
        return client.preparedQuery(INSERT)
                .execute(Tuple.from(Arrays.asList(PgTime.of(at), team, who, what, subject, detail)))
                .mapEmpty();
    }

    /**
     * One row for all refusals of an hour that have the same reason.
     *
     * @param issuer null unless a rule trusts it
     */
    Future<Void> refused(SqlClient client, Instant at, @Nullable String issuer, String reason) {
        String bucket = at.truncatedTo(ChronoUnit.HOURS) + "|" + reason + "|" + (issuer == null ? "" : issuer);
        return client.preparedQuery(REFUSED)
                .execute(Tuple.from(Arrays.asList(PgTime.of(at), issuer, reason, bucket)))
                .mapEmpty();
    }

    /** Newest first. */
    Future<List<Event>> list(SqlClient client, long before, int limit) {
        return client.preparedQuery(LIST)
                .execute(Tuple.of(before, limit))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> new Event(
                                row.getLong("event_id"),
                                PgTime.read(row, "at"),
                                PgTime.read(row, "last_at"),
                                row.getString("team_id"),
                                row.getString("who"),
                                row.getString("what"),
                                row.getString("subject"),
                                row.getString("detail"),
                                row.getInteger("times")))
                        .toList());
    }
}
