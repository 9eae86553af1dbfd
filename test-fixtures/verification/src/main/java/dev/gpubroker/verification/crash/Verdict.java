package dev.gpubroker.verification.crash;

import dev.gpubroker.verification.lab.SimulatorControl;
import dev.gpubroker.verification.lab.SimulatorControl.Machine;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What must hold after a round, whatever went wrong in it. Each violation is a sentence that names what it found. */
final class Verdict {
    private static final String DOUBLE_KEYS =
            "SELECT 'key ' || title || ' has ' || count(*) || ' reservations' FROM reservation GROUP BY title HAVING count(*) > 1";

    private static final String OVERLAPS = """
            SELECT 'GPUs ' || (a.gpus * b.gpus) || ' of ' || a.node_id || ' are held by ' || a.reservation_id || ' and '
                   || b.reservation_id || ' during ' || (a.during * b.during)
              FROM allocation a JOIN allocation b
                ON a.allocation_id < b.allocation_id AND a.node_id = b.node_id AND a.layer = b.layer
               AND a.gpus && b.gpus AND a.during && b.during
             WHERE a.live AND b.live""";

    /** GPU seconds held against GPU seconds promised, for what stands on own nodes. */
    private static final String NOT_WHAT_WAS_PROMISED = """
            SELECT r.reservation_id || ' (' || r.state || ') was promised ' || r.gpu_count || ' GPUs during ' || r.during
                   || ' and holds ' || coalesce(string_agg(a.node_id || a.gpus || a.during, ' '), 'nothing')
              FROM reservation r LEFT JOIN allocation a ON a.reservation_id = r.reservation_id AND a.live
             WHERE r.plan->>'acquisition' = 'POOL' AND r.state IN ('confirmed', 'provisioning', 'active')
             GROUP BY r.reservation_id
            HAVING coalesce(sum((upper(a.gpus) - lower(a.gpus)) * extract(epoch FROM upper(a.during) - lower(a.during))), 0)
                   <> r.gpu_count * extract(epoch FROM upper(r.during) - lower(r.during))""";

    private static final String HELD_AFTER_THE_END = """
            SELECT 'allocation ' || a.allocation_id || ' is live and its reservation ' || r.reservation_id || ' is ' || r.state
              FROM allocation a JOIN reservation r USING (reservation_id)
             WHERE a.live AND r.state IN ('completed', 'cancelled', 'failed', 'no_show', 'expired')""";

    private static final String STOPPED =
            "SELECT 'account ' || account_id || ' is stopped: ' || stopped_why FROM account WHERE stopped_why IS NOT NULL";

    private static final String TASKS = "SELECT 'task ' || kind || ' about ' || subject || ': ' || detail FROM task";

    private static final String STUCK = """
            SELECT kind || ' ' || subject || ' was due at ' || due_at || ', tries ' || tries || ', held by '
                   || coalesce(claimed_by, 'nobody')
              FROM due_work WHERE due_at < business_now() - interval '5 seconds' OR tries > 0""";

    private static final String UNDELIVERED = """
            SELECT 'message ' || outbox_id || ' (' || topic || ') is not delivered after ' || tries || ' tries '
                   || coalesce(given_up_why, '')
              FROM outbox WHERE delivered_at IS NULL""";

    private final Ledger ledger;
    private final SimulatorControl simulators;
    private final List<String> violations = new ArrayList<>();

    Verdict(Ledger ledger, SimulatorControl simulators) {
        this.ledger = ledger;
        this.simulators = simulators;
    }

    /** What is wrong; empty if all is well. */
    List<String> violations() {
        return List.copyOf(violations);
    }

    /**
     * Whether nothing is under way any more, so that ledger and platforms can be compared. A release that a platform failed to
     * do several times is tried again after minutes only; what it holds meanwhile, the ledger says.
     */
    boolean isSettled() throws SQLException {
        return ledger.number("SELECT count(*) FROM due_work WHERE due_at <= business_now()") == 0
                && ledger.number("SELECT count(*) FROM claim WHERE state = 'intended'") == 0
                && ledger.number("SELECT count(*) FROM outbox WHERE delivered_at IS NULL AND given_up_why IS NULL")
                        == 0;
    }

    /** Every acknowledgement still stands. */
    void checkAcknowledged(List<Client> clients) throws SQLException {
        Map<String, Ledger.Row> ledgerRows = ledger.reservations();
        Map<String, String> idsByTitle = new HashMap<>();
        ledgerRows.values().forEach(row -> idsByTitle.put(row.title(), row.id()));
        for (Client client : clients) {
            client.bookings().forEach(booked -> acknowledged(booked, ledgerRows.get(booked.id())));
            client.refused().stream()
                    .filter(idsByTitle::containsKey)
                    .forEach(key -> violations.add(key + " was refused and " + idsByTitle.get(key) + " exists"));
        }
        find(DOUBLE_KEYS);
    }

    private void acknowledged(Booked booked, Ledger.@org.jspecify.annotations.Nullable Row row) {
        if (row == null) {
            violations.add(booked.id() + " was acknowledged for " + booked.key() + " and does not exist");
            return;
        }
        if (!row.title().equals(booked.key())) {
            violations.add(booked.id() + " was acknowledged for " + booked.key() + " and is " + row.title());
        }
        if (!booked.certain()) {
            return;
        }
        if (!row.end().toInstant().equals(booked.end().toInstant())) {
            violations.add(booked.id() + " ends at " + row.end() + "; acknowledged was " + booked.end());
        }
        boolean told =
                booked.cancelled().equals("cancelled") || booked.cancelled().equals("releasing");
        if (told && !row.isCancelled() && !row.isOver()) {
            violations.add(booked.id() + " was cancelled and is " + row.state());
        }
        if (booked.cancelled().equals("cancelled") && !row.state().equals("cancelled")) {
            violations.add(booked.id() + " was told to be cancelled and is " + row.state());
        }
    }

    /** Nobody was told two things that cannot both be right. */
    void checkAnswers(List<Client> clients) {
        clients.forEach(client -> violations.addAll(client.contradictions()));
    }

    /** No GPU is held twice, and what is held is what was promised. */
    void checkOwnCapacity() throws SQLException {
        find(OVERLAPS);
        find(NOT_WHAT_WAS_PROMISED);
        find(HELD_AFTER_THE_END);
    }

    /** The platforms hold exactly what the ledger says. */
    void checkMachines() throws SQLException, IOException, InterruptedException {
        List<Machine> machines = simulators.machines();
        Map<String, Ledger.ClaimRow> claims = new HashMap<>();
        ledger.claims().forEach(claim -> claims.put(claim.key(), claim));
        Map<String, Long> ever = countByKey(machines);
        Map<String, Long> live =
                countByKey(machines.stream().filter(Machine::isLive).toList());
        ever.forEach((key, number) -> {
            Ledger.ClaimRow claim = claims.get(key);
            if (claim == null) {
                violations.add(number + " machines bear the key '" + key + "', which the ledger does not know");
            } else if (number > claim.nodes()) {
                violations.add(number + " machines were bought for " + key + ", which asked for " + claim.nodes());
            }
        });
        claims.forEach((key, claim) -> compare(claim, live.getOrDefault(key, 0L)));
        Map<String, Long> byReservation = claims.values().stream()
                .collect(Collectors.groupingBy(
                        Ledger.ClaimRow::reservation,
                        Collectors.summingLong(claim -> live.getOrDefault(claim.key(), 0L))));
        claims.values().stream()
                .filter(claim -> byReservation.getOrDefault(claim.reservation(), 0L) > claim.asked())
                .forEach(claim -> violations.add(claim.reservation() + " asked for " + claim.asked()
                        + " machines and has " + byReservation.get(claim.reservation())));
    }

    private void compare(Ledger.ClaimRow claim, long live) {
        if (claim.holds() && live != claim.nodes()) {
            violations.add(claim.key() + " is " + claim.state() + " with " + claim.nodes() + " machines, and " + live
                    + " live on " + claim.platform());
        }
        if (!claim.isOpen() && live > 0) {
            violations.add(claim.key() + " is " + claim.state() + ", and " + live + " of its machines live on "
                    + claim.platform());
        }
        // One that came late is found at the next look, minutes after; nothing else is bought until then.
        if (claim.state().equals("unknown") && claim.overdue() && live > 0) {
            violations.add(
                    claim.key() + " is still unknown, and " + live + " of its machines live on " + claim.platform());
        }
    }

    private static Map<String, Long> countByKey(List<Machine> machines) {
        return machines.stream().collect(Collectors.groupingBy(Machine::key, Collectors.counting()));
    }

    /** After the last window: everything has ended, and nothing is left anywhere. */
    void checkOver() throws SQLException, IOException, InterruptedException {
        ledger.reservations().values().stream()
                .filter(row -> !row.isOver())
                .forEach(row -> violations.add(row.id() + " is " + row.state() + " after its end " + row.end()));
        ledger.claims().stream()
                .filter(Ledger.ClaimRow::isOpen)
                .forEach(claim -> violations.add(claim.key() + " is " + claim.state() + " after everything has ended"));
        long left = simulators.machines().stream().filter(Machine::isLive).count();
        if (left > 0) {
            violations.add("machines left: " + left);
        }
        find(HELD_AFTER_THE_END);
        find(STUCK);
        find(UNDELIVERED);
        find(STOPPED);
        find(TASKS);
    }

    /** Work that did not settle in time, for the report. */
    void unsettled() throws SQLException {
        find(
                "SELECT 'not settled: ' || kind || ' ' || subject || ' due at ' || due_at || ', tries ' || tries || ', held by '"
                        + " || coalesce(claimed_by, 'nobody') FROM due_work WHERE due_at <= business_now()");
        find("SELECT 'not settled: claim ' || claim_key || ' is ' || state || ', ' || coalesce(detail, '') FROM claim"
                + " WHERE state = 'intended'");
        find(UNDELIVERED);
    }

    private void find(String query) throws SQLException {
        violations.addAll(ledger.texts(query));
    }
}
