package dev.gpubroker.broker.access;

import dev.gpubroker.adapter.spi.BootLimit;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.MachineOption;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.claim.Orders;
import dev.gpubroker.broker.config.MachineSettings;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets machines say themselves that they are ready: a last line of the start-up script calls the broker with a token that is
 * good for one claim, as often as it has machines, and until nobody waits any more. Only its hash is kept.
 */
final class CallHome implements Orders {
    /** As long as machines are waited for. */
    private static final Duration GOOD_FOR = Duration.ofMinutes(45);
    /** Another program would not understand a line of shell. */
    private static final Pattern SHELL = Pattern.compile("#!\\s*\\S*/(env\\s+)?(ba|da|z|k)?sh(\\s.*)?");

    /** As long as every token: an order that would not be taken with our line goes without it. */
    private static final String NO_TOKEN = "0".repeat(32);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Database database;
    private final Platforms platforms;
    private final DueWork due;
    private final URI publicUrl;
    private final boolean reachable;
    private final InstantSource clock;

    /** @param simulated whether machines may well be on this computer, and then reach it by its own name */
    CallHome(
            Database database,
            Platforms platforms,
            DueWork due,
            URI publicUrl,
            boolean simulated,
            InstantSource clock) {
        this.database = database;
        this.platforms = platforms;
        this.due = due;
        this.publicUrl = publicUrl;
        this.reachable = simulated || !isOfThisComputer(publicUrl.getHost());
        this.clock = clock;
    }

    private static boolean isOfThisComputer(String host) {
        boolean literal = host.matches("[0-9.]+|\\[.*]");
        try {
            return host.equalsIgnoreCase("localhost")
                    || (literal && InetAddress.getByName(host).isLoopbackAddress());
        } catch (UnknownHostException noAddress) {
            return false;
        }
    }

    // ---- the order ----------------------------------------------------------------------------------------

    @Override
    public Future<ClaimRequest> of(Claim claim) {
        ClaimRequest written = claim.request();
        if (!reachable || !isWanted(claim)) {
            return Future.succeededFuture(written);
        }
        byte[] secret = new byte[24];
        RANDOM.nextBytes(secret);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        Instant now = clock.instant();
        Instant start = written.window().start();
        Instant until = (start.isAfter(now) ? start : now).plus(GOOD_FOR);
        return database.inTransaction(connection -> keep(connection, claim, token, until))
                .map(kept -> with(written, script(written.machine().startupScript(), token)));
    }

    /** What is launched later is launched with the order as it was written, so that a launch repeated is the same launch. */
    private boolean isWanted(Claim claim) {
        AccountView account = platforms.account(claim.account()).orElse(null);
        String script = claim.request().machine().startupScript();
        BootLimit limit = account == null ? null : account.capabilities().bootLimit();
        if (account == null
                || (limit != null
                        && !limit.allows(
                                with(claim.request(), script(script, NO_TOKEN)).machine()))
                || claim.request().offer().term() != Term.NOW
                || !account.capabilities().machineOptions().contains(MachineOption.STARTUP_SCRIPT)
                || !isShell(script)) {
            return false;
        }
        MachineSettings.Readiness rule = account.machines().readiness();
        return rule == MachineSettings.Readiness.CALL_HOME
                || (rule == MachineSettings.Readiness.AUTO && script != null);
    }

    static boolean isShell(@Nullable String script) {
        return script == null
                || !script.startsWith("#!")
                || SHELL.matcher(script.lines().findFirst().orElse("")).matches();
    }

    private static final String KEEP = """
            -- call_home.keep
            INSERT INTO call_home (claim_key, token_hash, machines, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (claim_key) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at""";

    private static Future<Void> keep(SqlConnection connection, Claim claim, String token, Instant until) {
        return connection
                .preparedQuery(KEEP)
                .execute(Tuple.of(
                        claim.key().text(),
                        Buffer.buffer(hash(token)),
                        claim.request().nodes(),
                        PgTime.of(until)))
                .mapEmpty();
    }

    /** The kernel's name for this start tells the machines of one order apart, and one machine's repeated call from another's. */
    private String script(@Nullable String script, String token) {
        String before = script == null ? "#!/bin/sh\n" : script.endsWith("\n") ? script : script + "\n";
        return before + "curl -fsS -m 20 --retry 5 -X POST -H 'Content-Type: application/json' -d"
                + " '{\"token\":\"" + token + "\",\"machine\":\"'\"$(cat /proc/sys/kernel/random/boot_id)\"'\"}'"
                + " '" + publicUrl + "/v1/machines/ready' || true\n";
    }

    private static ClaimRequest with(ClaimRequest order, String script) {
        MachineSpec machine = order.machine();
        return new ClaimRequest(
                order.key(),
                order.installation(),
                order.offer(),
                order.nodes(),
                order.window(),
                order.billing(),
                order.timedEnd(),
                new MachineSpec(
                        machine.image(),
                        machine.frameworks(),
                        machine.sshKeys(),
                        script,
                        machine.dataDiskGb(),
                        machine.publicIp()),
                order.atMost());
    }

    // ---- the call -----------------------------------------------------------------------------------------

    static final String CALLED = """
            -- call_home.called
            UPDATE call_home SET called = array_append(called, $2)
             WHERE token_hash = $1 AND expires_at > business_now()
               AND NOT $2 = ANY (called) AND cardinality(called) < machines
            RETURNING claim_key, cardinality(called) >= machines AS whole""";

    static final String WAITING = """
            -- call_home.waiting
            SELECT m.reservation_id, m.node_id FROM machine_readiness m JOIN node n USING (node_id)
             WHERE n.claim_key = $1 AND m.readiness = 'pending'""";

    /** Takes a call; whoever calls learns nothing. */
    Future<Void> called(String token, String machine) {
        return database.inTransaction(connection -> connection
                        .preparedQuery(CALLED)
                        .execute(Tuple.of(Buffer.buffer(hash(token)), machine))
                        .compose(rows -> {
                            Optional<Row> row = rows.size() == 0
                                    ? Optional.empty()
                                    : Optional.of(rows.iterator().next());
                            return row.isPresent() && row.get().getBoolean("whole")
                                    ? wake(connection, row.get().getString("claim_key"))
                                    : Future.succeededFuture();
                        }))
                .onSuccess(done -> due.lookNow());
    }

    private Future<Void> wake(SqlConnection connection, String claim) {
        return connection.preparedQuery(WAITING).execute(Tuple.of(claim)).compose(rows -> {
            Future<Void> all = Future.succeededFuture();
            for (Row row : rows) {
                String subject = MachineCheck.subject(row.getString("reservation_id"), row.getString("node_id"));
                all = all.compose(done -> due.poke(connection, MachineCheck.KIND, subject));
            }
            return all;
        });
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
