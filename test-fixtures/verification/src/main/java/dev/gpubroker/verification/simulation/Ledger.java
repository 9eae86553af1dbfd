package dev.gpubroker.verification.simulation;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The broker's tables as the checks read them: by SQL of their own, not through the broker. */
final class Ledger {
    private final Sql sql;

    Ledger(Sql sql) {
        this.sql = sql;
    }

    /**
     * @param nodes machines as planned; 0 while nothing is planned
     * @param acquisition as stored, {@code POOL} for own nodes; null while nothing is planned
     */
    record Booking(
            String id,
            String title,
            String state,
            int gpus,
            int nodes,
            Instant start,
            Instant end,
            @Nullable String acquisition,
            int attempts,
            long version,
            Instant createdAt,
            @Nullable Instant endedAt) {
        boolean isEnded() {
            return isEnd(state);
        }

        boolean isOnOwnNodes() {
            return "POOL".equals(acquisition);
        }
    }

    record Claimed(
            String key,
            String reservation,
            int attempt,
            String account,
            String platform,
            int nodes,
            String state,
            boolean unwanted,
            @Nullable Instant arrivesBy,
            @Nullable Instant settledAt,
            @Nullable Instant releasedAt,
            int notListed) {
        boolean isOpen() {
            return Ledger.isOpen(state);
        }
    }

    /** Whether a reservation's state is an ending. */
    static boolean isEnd(String state) {
        return Set.of("completed", "cancelled", "failed", "no_show", "expired").contains(state);
    }

    /** Whether a claim's state means that something may be held. */
    static boolean isOpen(String state) {
        return Set.of("intended", "accepted", "claimed", "unknown", "releasing").contains(state);
    }

    /** A rectangle of layer 0. */
    record Rectangle(
            long id,
            String node,
            int nodeGpus,
            int from,
            int to,
            Instant start,
            Instant end,
            boolean live,
            String reservation,
            @Nullable Instant releasedAt) {
        boolean meets(Rectangle other) {
            return node.equals(other.node) && from < other.to && other.from < to;
        }

        boolean overlaps(Rectangle other) {
            return meets(other) && start.isBefore(other.end) && other.start.isBefore(end);
        }
    }

    /** @param at by the database's clock */
    record Event(
            long id,
            String reservation,
            Instant at,
            String what,
            @Nullable String before,
            @Nullable String after,
            @Nullable String why) {}

    record Note(
            long id,
            String reservation,
            String topic,
            boolean delivered,
            @Nullable String givenUpWhy) {}

    record Due(String kind, String subject, Instant at, boolean periodic, int tries) {}

    Instant now() {
        return sql.find("SELECT business_now() AS now", row -> Sql.time(row, "now"))
                .orElseThrow();
    }

    List<Booking> bookings() {
        return sql.list("""
                SELECT reservation_id, coalesce(title, '') AS title, state, gpu_count, lower(during) AS start_at,
                       upper(during) AS end_at, plan->>'acquisition' AS acquisition,
                       coalesce((plan->>'nodes')::int, 0) AS nodes, attempts, version, created_at, ended_at
                  FROM reservation ORDER BY created_at, reservation_id""", Ledger::booking);
    }

    private static Booking booking(ResultSet row) throws SQLException {
        return new Booking(
                row.getString("reservation_id"),
                row.getString("title"),
                row.getString("state"),
                row.getInt("gpu_count"),
                row.getInt("nodes"),
                Sql.time(row, "start_at"),
                Sql.time(row, "end_at"),
                row.getString("acquisition"),
                row.getInt("attempts"),
                row.getLong("version"),
                Sql.time(row, "created_at"),
                Sql.timeOrNull(row, "ended_at"));
    }

    List<Claimed> claims() {
        return sql.list(
                """
                SELECT claim_key, reservation_id, attempt, account_id, platform, (request->>'nodes')::int AS nodes, state,
                       unwanted, arrives_by, settled_at, released_at, not_listed
                  FROM claim ORDER BY intended_at, claim_key""",
                row -> new Claimed(
                        row.getString("claim_key"),
                        row.getString("reservation_id"),
                        row.getInt("attempt"),
                        row.getString("account_id"),
                        row.getString("platform"),
                        row.getInt("nodes"),
                        row.getString("state"),
                        row.getBoolean("unwanted"),
                        Sql.timeOrNull(row, "arrives_by"),
                        Sql.timeOrNull(row, "settled_at"),
                        Sql.timeOrNull(row, "released_at"),
                        row.getInt("not_listed")));
    }

    List<Rectangle> rectangles() {
        return sql.list(
                """
                SELECT allocation_id, node_id, node.gpus AS node_gpus, lower(a.gpus) AS first, upper(a.gpus) AS after_last,
                       lower(during) AS start_at, upper(during) AS end_at, live, reservation_id, released_at
                  FROM allocation a JOIN node USING (node_id) WHERE layer = 0 ORDER BY allocation_id""",
                row -> new Rectangle(
                        row.getLong("allocation_id"),
                        row.getString("node_id"),
                        row.getInt("node_gpus"),
                        row.getInt("first"),
                        row.getInt("after_last"),
                        Sql.time(row, "start_at"),
                        Sql.time(row, "end_at"),
                        row.getBoolean("live"),
                        row.getString("reservation_id"),
                        Sql.timeOrNull(row, "released_at")));
    }

    List<Event> eventsSince(long id) {
        return sql.list(
                """
                SELECT event_id, reservation_id, noted.at, what, before->>'state' AS before, after->>'state' AS after, why
                  FROM reservation_event JOIN audit.event noted USING (event_id) WHERE event_id > ? ORDER BY event_id""",
                row -> new Event(
                        row.getLong("event_id"),
                        row.getString("reservation_id"),
                        Sql.time(row, "at"),
                        row.getString("what"),
                        row.getString("before"),
                        row.getString("after"),
                        row.getString("why")),
                id);
    }

    List<Note> notesSince(long id) {
        return sql.list(
                """
                SELECT outbox_id, body->>'reservation' AS reservation, topic,
                       delivered_at IS NOT NULL AND NOT EXISTS (
                           SELECT 1 FROM delivery d WHERE d.outbox_id = outbox.outbox_id AND d.state = 'waiting') AS delivered,
                       given_up_why
                  FROM outbox WHERE outbox_id > ? ORDER BY outbox_id""",
                row -> new Note(
                        row.getLong("outbox_id"),
                        row.getString("reservation"),
                        row.getString("topic"),
                        row.getBoolean("delivered"),
                        row.getString("given_up_why")),
                id);
    }

    List<Due> due() {
        return sql.list(
                "SELECT kind, subject, due_at, periodic, tries FROM due_work ORDER BY due_at",
                row -> new Due(
                        row.getString("kind"),
                        row.getString("subject"),
                        Sql.time(row, "due_at"),
                        row.getBoolean("periodic"),
                        row.getInt("tries")));
    }

    /** Accounts that the sweep has stopped. */
    List<String> stopped() {
        return sql.list(
                "SELECT account_id FROM account WHERE stopped_why IS NOT NULL", row -> row.getString("account_id"));
    }

    String installation() {
        return sql.find("SELECT installation_id FROM installation", row -> row.getString(1))
                .orElseThrow();
    }
}
