package dev.gpubroker.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import dev.gpubroker.verification.lab.Cluster;
import dev.gpubroker.verification.lab.Launcher;
import dev.gpubroker.verification.lab.SimulatorControl;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that stands still for longer than its hold lasts, and then goes on as if no time had passed. */
final class FrozenBrokerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Sessions that wait for a row, by the statement's name. */
    private static final String WAITING =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '-- %s%%'";

    @TempDir
    private static Path folder;

    private static Cluster cluster;
    private static BrokerProcess first;
    private static BrokerProcess second;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        cluster = Cluster.start(2, Launcher.ofThisClassPath(), folder);
        first = cluster.broker(0);
        second = cluster.broker(1);
        // Just after the hour: a start on the hour then counts as now.
        cluster.walkTo(cluster.now()
                .truncatedTo(ChronoUnit.HOURS)
                .plusHours(1)
                .plusSeconds(5)
                .toInstant());
    }

    @AfterAll
    static void stop() throws IOException, InterruptedException {
        cluster.close();
    }

    /**
     * The first broker is frozen inside the transaction that marks the claim as sent, while it waits for the account's row.
     * The platform knows no tokens, so whatever is sent is bought.
     */
    @Test
    void aClaimWhoseWorkerFreezesBeforeSendingIsSentByItsSuccessorAlone() throws Exception {
        second.freeze();
        String booked;
        try (Connection blocking = cluster.database().dataSource().getConnection()) {
            blocking.setAutoCommit(false);
            run(blocking, "SELECT 1 FROM account WHERE account_id = 'zhixingyun-sim' FOR UPDATE");
            booked = book("RTX4090", "zhixingyun");
            // The claim's own look, and the one of the checks ahead of the start.
            await("the first broker waits for the account", WAITING.formatted("claim.guard"), 2);
            first.freeze();
            blocking.rollback();
        }
        second.thaw();
        await("the second broker has taken over and waits for the claim", WAITING.formatted("claim.lock"), 1);
        first.thaw();

        await(
                "it is bought",
                "SELECT count(*) FROM claim WHERE reservation_id = '" + booked + "' AND state = 'claimed'",
                1);
        // Whatever the first broker had in mind it has done once it answers again.
        assertThat(first.api(PATIENCE).get("/readyz").status()).isEqualTo(200);
        assertThat(machinesOf(booked)).isEqualTo(1);
        assertThat(count("SELECT count(*) FROM claim WHERE reservation_id = '" + booked + "'"))
                .isEqualTo(1);
    }

    @Test
    void aWorkerThatFreezesBeforeTheAnswerWritesNothingAfterwards() throws Exception {
        second.freeze();
        SimulatorControl control = cluster.simulators().control();
        control.fault("aliyun", "claim", "hang", 1, Duration.ofSeconds(5));
        String booked = book("A100", "aliyun");
        String claim = "FROM claim WHERE reservation_id = '" + booked + "'";
        await("the claim was sent", "SELECT count(*) " + claim + " AND arrives_by IS NOT NULL", 1);
        first.freeze();
        second.thaw();
        await("the second broker has taken it over", "SELECT count(*) " + claim + " AND vanished", 1);
        await("and has looked for it", "SELECT count(*) FROM due_work WHERE kind = 'claim' AND claimed_by IS NULL", 1);
        long version = count("SELECT version " + claim);
        long events = count("SELECT count(*) FROM reservation_event WHERE reservation_id = '" + booked + "'");

        first.thaw();
        // Its call has failed long ago: once it answers requests again, it has also seen that.
        assertThat(first.api(PATIENCE).get("/readyz").status()).isEqualTo(200);

        assertThat(count("SELECT version " + claim)).isEqualTo(version);
        assertThat(count("SELECT count(*) FROM reservation_event WHERE reservation_id = '" + booked + "'"))
                .isEqualTo(events);
        assertThat(machinesOf(booked)).isZero();
    }

    /** Eight GPUs for two hours from this hour on. */
    private static String book(String model, String platform) throws IOException, InterruptedException {
        ZonedDateTime start = cluster.now().truncatedTo(ChronoUnit.HOURS);
        ObjectNode body = Api.JSON.createObjectNode();
        body.putObject("gpu").put("model", model).put("count", 8);
        body.put("start", start.toOffsetDateTime().toString()).put("duration", "PT2H");
        body.putObject("constraints").putArray("platforms").add(platform);
        body.putObject("substitution").put("mode", "never");
        Api.Answer answer = first.api(PATIENCE)
                .post("/v1/reservations", body, UUID.randomUUID().toString());
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(201);
        return answer.body().get("id").asText();
    }

    private static long machinesOf(String reservation) throws IOException, InterruptedException {
        String name = reservation.substring(reservation.indexOf('_') + 1);
        return cluster.simulators().control().machines().stream()
                .filter(machine -> machine.key().contains(name))
                .count();
    }

    private static void await(String what, String query, long least) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (count(query) < least) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static long count(String query) throws SQLException {
        try (Connection connection = cluster.database().dataSource().getConnection()) {
            return run(connection, query);
        }
    }

    private static long run(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
