package dev.gpubroker.verification.simulation;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every version that a claim ever had, in the order of their commits as the row's own lock makes it, and the database's time
 * of every event. Written by the database itself, so that no code of the broker can leave one out, and no clock of a broker
 * counts: that of the one that does not move the demo clock lags behind for up to a second, in which days may pass here.
 */
final class Audit {
    private static final String INSTALL = """
            CREATE SCHEMA audit;
            CREATE TABLE audit.claim (
                audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                before   jsonb,
                after    jsonb,
                at       timestamptz NOT NULL DEFAULT public.business_now());
            CREATE FUNCTION audit.note() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO audit.claim (before, after) VALUES (to_jsonb(OLD), to_jsonb(NEW));
                RETURN NULL;
            END $$;
            CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON public.claim
                FOR EACH ROW EXECUTE FUNCTION audit.note();
            CREATE TABLE audit.event (event_id bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT public.business_now());
            CREATE FUNCTION audit.note_event() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO audit.event (event_id) VALUES (NEW.event_id);
                RETURN NULL;
            END $$;
            CREATE TRIGGER audit AFTER INSERT ON public.reservation_event
                FOR EACH ROW EXECUTE FUNCTION audit.note_event();
            """;

    private Audit() {}

    static void install(Sql template) {
        template.run(INSTALL);
    }

    /** @param before null for a new claim, {@code after} null for a deleted one */
    record Change(
            long id,
            String key,
            String reservation,
            int attempt,
            String platform,
            @Nullable String before,
            @Nullable String after,
            @Nullable String sentBefore,
            @Nullable String sentAfter,
            boolean unwanted,
            int notListed,
            int releaseTries,
            String detail,
            Instant at) {}

    static List<Change> since(Sql sql, long id) {
        return sql.list(
                """
                SELECT audit_id, coalesce(after, before)->>'claim_key' AS key,
                       coalesce(after, before)->>'reservation_id' AS reservation,
                       (coalesce(after, before)->>'attempt')::int AS attempt,
                       coalesce(after, before)->>'platform' AS platform,
                       before->>'state' AS before, after->>'state' AS after,
                       before->>'arrives_by' AS sent_before, after->>'arrives_by' AS sent_after,
                       (coalesce(after, before)->>'unwanted')::boolean AS unwanted,
                       (coalesce(after, before)->>'not_listed')::int AS not_listed,
                       (coalesce(after, before)->>'release_tries')::int AS release_tries,
                       coalesce(coalesce(after, before)->>'detail', '') AS detail, at
                  FROM audit.claim WHERE audit_id > ? ORDER BY audit_id""",
                row -> new Change(
                        row.getLong("audit_id"),
                        row.getString("key"),
                        row.getString("reservation"),
                        row.getInt("attempt"),
                        row.getString("platform"),
                        row.getString("before"),
                        row.getString("after"),
                        row.getString("sent_before"),
                        row.getString("sent_after"),
                        row.getBoolean("unwanted"),
                        row.getInt("not_listed"),
                        row.getInt("release_tries"),
                        row.getString("detail"),
                        Sql.time(row, "at")),
                id);
    }
}
