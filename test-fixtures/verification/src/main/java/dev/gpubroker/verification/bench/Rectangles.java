package dev.gpubroker.verification.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A ledger of many bookings, made past the broker, and a plain search of it to compare with. */
final class Rectangles {
    /** Of one booking to the next on the same GPUs: 47 hours booked, 20 free in between, which is 70 %. */
    private static final int STRIDE_HOURS = 67;

    private static final int BOOKED_HOURS = 47;
    private static final int JITTER_HOURS = 20;
    private static final Duration HOUR = Duration.ofHours(1);

    private final Sql sql;

    Rectangles(Sql sql) {
        this.sql = sql;
    }

    /**
     * Books every machine of every pool in three strips of 2, 2 and 4 GPUs, each for 27 bookings one after another, with gaps that
     * differ from strip to strip. No gap is longer than 39 hours.
     *
     * @param from when the first may begin
     */
    void live(Instant from) throws SQLException {
        withoutConstraint("""
                INSERT INTO reservation (reservation_id, team_id, owner, labels, state, request, model, gpu_count, during, terms,
                       explanation, created_at, updated_at)
                SELECT 'rsv_' || strip || '_' || k || '_' || node_id, 'default', 'load', '{}', 'confirmed', '{}', model,
                       (ARRAY[2, 2, 4])[strip], %1$s, '{}', '[]', now(), now()
                  FROM node, generate_series(1, 3) AS strip, generate_series(0, 26) AS k""".formatted(during(from)), """
                INSERT INTO allocation (layer, node_id, gpus, during, reservation_id, created_at)
                SELECT 0, node_id, (ARRAY['[0,2)', '[2,4)', '[4,8)'])[strip]::int4range, %1$s,
                       'rsv_' || strip || '_' || k || '_' || node_id, now()
                  FROM node, generate_series(1, 3) AS strip, generate_series(0, 26) AS k""".formatted(during(from)));
    }

    private static String during(Instant from) {
        String start = "timestamptz '" + PgText.of(from) + "' + (k * " + STRIDE_HOURS
                + " + ('x' || substr(md5(node_id || strip || k), 1, 6))::bit(24)::int % " + JITTER_HOURS
                + ") * interval '1 hour'";
        return "tstzrange(" + start + ", " + start + " + interval '" + BOOKED_HOURS + " hours')";
    }

    /** What ended before {@code now}: machines given back, one after another. */
    void ended(Instant now, int perMachine) throws SQLException {
        sql.run("""
                INSERT INTO allocation (layer, node_id, gpus, during, live, created_at, released_at)
                SELECT 0, node_id, '[0,8)',
                       tstzrange(timestamptz '%1$s' - (k + 1) * interval '2 hours', timestamptz '%1$s' - k * interval '2 hours'),
                       false, now(), now()
                  FROM node, generate_series(1, %2$d) AS k""".formatted(PgText.of(now), perMachine), "VACUUM ANALYZE allocation");
    }

    /** A hundred thousand checks of a constraint take minutes; one check of all of them takes seconds. */
    private void withoutConstraint(String... statements) throws SQLException {
        String constraint = text("""
                SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'allocation_never_overlaps'""");
        sql.run("ALTER TABLE allocation DROP CONSTRAINT allocation_never_overlaps");
        sql.run(statements);
        sql.run("ALTER TABLE allocation ADD CONSTRAINT allocation_never_overlaps " + constraint, "VACUUM ANALYZE");
    }

    private String text(String query) throws SQLException {
        try (Connection connection = sql.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** Gives up all that one machine, chosen by its place in the order of names, holds over the window. */
    void clear(int machine, Instant from, Duration length) throws SQLException {
        sql.run("""
                DELETE FROM allocation
                 WHERE node_id = (SELECT node_id FROM node ORDER BY node_id OFFSET %d LIMIT 1)
                   AND during && tstzrange('%s', '%s')""".formatted(machine, PgText.of(from), PgText.of(from.plus(length))));
    }

    long liveCount() throws SQLException {
        return sql.number("SELECT count(*) FROM allocation WHERE live");
    }

    /**
     * The first full hour from which so many GPUs in a row are free on one machine, by trying every hour on every machine against
     * every booking of it.
     */
    Optional<Instant> earliest(Instant from, Instant horizon, int gpus, Duration length) throws SQLException {
        Map<String, BitSet[]> machines = machines(from, horizon.plus(length));
        int hours = (int) length.toHours();
        int last = (int) Duration.between(from, horizon).toHours();
        for (int hour = 0; hour <= last; hour++) {
            for (BitSet[] taken : machines.values()) {
                if (hasRun(taken, hour, hours, gpus)) {
                    return Optional.of(from.plus(HOUR.multipliedBy(hour)));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean hasRun(BitSet[] taken, int hour, int hours, int gpus) {
        int run = 0;
        for (BitSet gpu : taken) {
            int next = gpu.nextSetBit(hour);
            run = next < 0 || next >= hour + hours ? run + 1 : 0;
            if (run >= gpus) {
                return true;
            }
        }
        return false;
    }

    /** For each machine and GPU the hours, counted from {@code from}, that are taken in part or whole. */
    private Map<String, BitSet[]> machines(Instant from, Instant to) throws SQLException {
        Map<String, BitSet[]> machines = new HashMap<>();
        String query = """
                SELECT n.node_id, n.gpus, lower(a.gpus), upper(a.gpus),
                       floor(extract(epoch FROM lower(a.during) - timestamptz '%1$s') / 3600)::int,
                       ceil(extract(epoch FROM upper(a.during) - timestamptz '%1$s') / 3600)::int
                  FROM node n LEFT JOIN allocation a ON a.node_id = n.node_id AND a.live
                   AND lower(a.during) < timestamptz '%2$s' AND upper(a.during) > timestamptz '%1$s'""".formatted(PgText.of(from), PgText.of(to));
        try (Connection connection = sql.connect();
                PreparedStatement statement = connection.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                BitSet[] taken = machines.computeIfAbsent(rows.getString(1), none -> new BitSet[0]);
                if (taken.length == 0) {
                    taken = emptyMachine(rows.getInt(2));
                    machines.put(rows.getString(1), taken);
                }
                for (int gpu = rows.getInt(3); gpu < rows.getInt(4); gpu++) {
                    taken[gpu].set(Math.max(0, rows.getInt(5)), rows.getInt(6));
                }
            }
        }
        return machines;
    }

    private static BitSet[] emptyMachine(int gpus) {
        List<BitSet> empty = new ArrayList<>();
        for (int i = 0; i < gpus; i++) {
            empty.add(new BitSet());
        }
        return empty.toArray(BitSet[]::new);
    }
}
