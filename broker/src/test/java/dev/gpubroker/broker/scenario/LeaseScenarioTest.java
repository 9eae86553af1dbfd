package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Leases as jobs see them: over the API of a running broker, and with the command. Each test has a pool of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.MethodName.class)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class LeaseScenarioTest {
    private Path data;
    private TestDatabase database;
    private RunningBroker broker;
    private int pools;
    private final List<JobCommand> jobs = new ArrayList<>();

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        data = folder;
        database = TestDatabase.create();
        broker = new RunningBroker(database, data);
        broker.walkTo("2026-11-01T10:00:00+08:00");
    }

    @AfterAll
    void stop() {
        broker.close();
        database.close();
    }

    /** What a failed test has left; their jobs end with them. */
    @AfterEach
    void endJobs() {
        jobs.forEach(JobCommand::kill);
    }

    /** One machine of eight GPUs, which is this one. */
    private String pool() {
        return pool("A100-SXM4-80GB");
    }

    private String pool(String model) {
        String name = "pool" + ++pools;
        Answer made = broker.call("POST", "/v1/pools", """
                {"name":"%s","model":"%s","gpusPerNode":8,"hosts":[{"name":"%s-1","address":"127.0.0.1"}]}""".formatted(name, model, name));
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
        return name;
    }

    private Answer lease(String body) {
        return broker.call(
                "POST", "/v1/leases", body, "Idempotency-Key", UUID.randomUUID().toString());
    }

    private JsonNode read(JsonNode lease) {
        return broker.get("/v1/leases/" + lease.get("id").asText());
    }

    private JsonNode when(JsonNode lease, String state) {
        for (int i = 0; i < 60; i++) {
            JsonNode now = broker.get("/v1/leases/" + lease.get("id").asText() + "?wait=PT1S");
            if (now.get("state").asText().equals(state)) {
                return now;
            }
        }
        throw new AssertionError("never " + state + ": " + read(lease));
    }

    private void giveBack(JsonNode lease) {
        Answer ended = broker.call("DELETE", "/v1/leases/" + lease.get("id").asText(), null);
        assertThat(ended.status()).as("%s", ended.body()).isEqualTo(200);
        assertThat(ended.body().get("state").asText()).as("%s", ended.body()).isEqualTo("released");
    }

    private JobCommand job(String name, String... words) {
        JobCommand job = JobCommand.start(data.resolve(name), broker, words);
        jobs.add(job);
        return job;
    }

    private JsonNode onlyOpen(String pool) {
        JsonNode found = null;
        for (JsonNode each : broker.get("/v1/leases?state=held,stale,queued").get("items")) {
            if (pool.equals(each.get("target").path("pool").asText())) {
                assertThat(found).isNull();
                found = each;
            }
        }
        return found;
    }

    // ---- the API --------------------------------------------------------------------------------------------------

    @Test
    void anAnswerIsAHeldLeaseWithItsHostsOrAPlaceInLine() {
        String pool = pool();
        Answer held = lease("{\"pool\":\"%s\",\"gpus\":2,\"title\":\"run 412\"}".formatted(pool));
        assertThat(held.status()).as("%s", held.body()).isEqualTo(201);
        JsonNode host = held.body().get("access").get("hosts").get(0);
        assertThat(host.get("address").asText()).isEqualTo("127.0.0.1");
        assertThat(host.get("gpus").toString()).isEqualTo("[0,1]");
        assertThat(host.get("env").get("CUDA_VISIBLE_DEVICES").asText()).isEqualTo("0,1");
        assertThat(host.get("readiness").asText()).isEqualTo("unverified");

        Answer queued = lease("{\"pool\":\"%s\",\"gpus\":8}".formatted(pool));
        assertThat(queued.status()).isEqualTo(202);
        assertThat(queued.body().get("waitlist").get("position").asInt()).isEqualTo(1);

        String path = "/v1/leases/" + held.body().get("id").asText();
        assertThat(broker.call("POST", path + "/heartbeat", null).status()).isEqualTo(200);
        assertThat(broker.call("DELETE", path, null).body().get("state").asText())
                .isEqualTo("released");
        assertThat(broker.call("DELETE", path, null).status()).isEqualTo(200);
        assertThat(when(queued.body(), "held").get("access").get("hosts").get(0).get("gpus"))
                .hasSize(8);

        Answer late = broker.call("POST", path + "/heartbeat", null);
        assertThat(late.status()).isEqualTo(409);
        assertThat(late.body().get("code").asText()).isEqualTo("lease_not_held");
        assertThat(late.body().get("lease").get("state").asText()).isEqualTo("released");
    }

    /** J-05, I-01. */
    @Test
    void noGpusAreRefusedAndNeverMeanAllAndAKeyIsNeeded() {
        String pool = pool();
        for (String gpus : new String[] {"0", "null", "-1", "\"8\"", "1025", "1000000000", "1.5"}) {
            assertThat(lease("{\"pool\":\"%s\",\"gpus\":%s}".formatted(pool, gpus))
                            .status())
                    .as(gpus)
                    .isEqualTo(400);
        }
        assertThat(lease("{\"pool\":\"%s\"}".formatted(pool)).status()).isEqualTo(400);
        for (String more : new String[] {
            "\"gpu\":1",
            "\"ttl\":\"PT0S\"",
            "\"ttl\":\"-PT1M\"",
            "\"ttl\":120",
            "\"maxDuration\":\"PT0S\"",
            "\"maxDuration\":\"P1000000000D\"",
            "\"maxWait\":\"PT-1S\"",
            "\"maxWait\":\"two hours\"",
            "\"model\":\"A100\""
        }) {
            Answer refused = lease("{\"pool\":\"%s\",\"gpus\":1,%s}".formatted(pool, more));
            assertThat(refused.status()).as("%s: %s", more, refused.body()).isEqualTo(400);
        }
        Answer without = broker.call("POST", "/v1/leases", "{\"pool\":\"%s\",\"gpus\":1}".formatted(pool));
        assertThat(without.body().get("code").asText()).isEqualTo("idempotency_key_missing");
        assertThat(onlyOpen(pool)).isNull();
    }

    @Test
    void nobodyWaitsLongerThanAMinuteForAnAnswer() {
        String path = "/v1/leases/"
                + lease("{\"pool\":\"%s\",\"gpus\":1}".formatted(pool()))
                        .body()
                        .get("id")
                        .asText();
        for (String wait : new String[] {"PT61S", "-PT1S", "P1D", "30"}) {
            assertThat(broker.call("GET", path + "?wait=" + wait, null).status())
                    .as(wait)
                    .isEqualTo(400);
        }
        assertThat(broker.call("GET", path + "?wait=PT0.05S", null).status()).isEqualTo(200);
        assertThat(broker.call("GET", "/v1/leases/lse_nobody?wait=PT60S", null).status())
                .isEqualTo(404);
    }

    @Test
    void aStreamTellsHowALeaseIsAndWhateverBecomesOfIt() throws Exception {
        String pool = pool();
        String body = "{\"pool\":\"%s\",\"gpus\":8}".formatted(pool);
        JsonNode holder = lease(body).body();
        JsonNode waiting = lease(body).body();
        try (BufferedReader events =
                broker.stream("/v1/leases/" + waiting.get("id").asText() + "/stream")) {
            assertThat(nextOf(events).get("state").asText()).isEqualTo("queued");
            giveBack(holder);
            JsonNode held = nextOf(events);
            assertThat(held.get("state").asText()).isEqualTo("held");
            assertThat(held.get("access").get("hosts").get(0).get("gpus")).hasSize(8);
            giveBack(waiting);
            assertThat(nextOf(events).get("state").asText()).isEqualTo("released");
            assertThat(events.lines().filter(line -> line.startsWith("data:"))).isEmpty();
        }
        assertThat(broker.call("GET", "/v1/leases/lse_nobody/stream", null).status())
                .isEqualTo(404);
    }

    private static JsonNode nextOf(BufferedReader events) throws IOException {
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            if (line.startsWith("data: ")) {
                return new ObjectMapper().readTree(line.substring("data: ".length()));
            }
        }
        throw new AssertionError("the stream has ended");
    }

    @Test
    void aRepeatedRequestIsTheSameLease() {
        String body = "{\"pool\":\"%s\",\"gpus\":2}".formatted(pool());
        Answer first = broker.call("POST", "/v1/leases", body, "Idempotency-Key", "lease-once");
        Answer second = broker.call("POST", "/v1/leases", body, "Idempotency-Key", "lease-once");
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.body()).isEqualTo(first.body());
    }

    @Test
    void leasesAndReservationsWaitInOneLine() {
        String pool = pool("RTX4090"); // The only one of this model, so that the reservation has no other.
        String body = "{\"pool\":\"%s\",\"gpus\":8,\"ttl\":\"PT1H\",\"maxDuration\":\"PT3H\"}".formatted(pool);
        JsonNode holder = lease(body).body();
        JsonNode first = lease(body).body();
        Answer reservation = broker.book("""
                {"gpu":{"model":"RTX4090","count":8},"start":"2026-11-01T11:00:00+08:00","duration":"PT1H",
                 "onUnavailable":"queue","constraints":{"platforms":["pool"]},"substitution":{"mode":"never"}}""");
        assertThat(reservation.status()).as("%s", reservation.body()).isEqualTo(201);
        JsonNode last = lease(body).body();

        giveBack(holder);
        when(first, "held");
        assertThat(broker.reservation(reservation.body()).get("state").asText()).isEqualTo("queued");

        giveBack(first);
        for (int i = 0;
                i < 50
                        && broker.reservation(reservation.body())
                                .get("state")
                                .asText()
                                .equals("queued");
                i++) {
            broker.get("/v1/leases/" + last.get("id").asText() + "?wait=PT0.1S");
        }
        assertThat(broker.reservation(reservation.body()).get("state").asText()).isEqualTo("confirmed");
        assertThat(read(last).get("state").asText()).isEqualTo("queued");
        broker.call("POST", "/v1/reservations/" + reservation.body().get("id").asText() + "/cancel", "{}");
        when(last, "held");
    }

    // ---- the command ------------------------------------------------------------------------------------------------

    @Test
    void theCommandRunsOnItsGpusGivesThemBackAndEndsAsItsJobDoes() {
        JobCommand.mustBeThere();
        String pool = pool();
        JobCommand job = job(
                "run",
                "--pool",
                pool,
                "--gpus",
                "2",
                "--json",
                "--",
                "sh",
                "-c",
                "echo gpus=$CUDA_VISIBLE_DEVICES rank=$GPU_BROKER_NODE_RANK 'it'\"'\"'s'; exit 7");

        assertThat(job.code()).as(job.said()).isEqualTo(7);
        assertThat(job.printed()).isEqualTo("gpus=0,1 rank=0 it's\n");
        assertThat(job.said()).contains("\"event\": \"done\"", "\"outcome\": \"ended\"", "\"code\": 7");
        assertThat(onlyOpen(pool)).isNull();
    }

    /** J-01. */
    @Test
    void waitingTooLongHasACodeOfItsOwnAndLeavesTheLine() {
        JobCommand.mustBeThere();
        String pool = pool();
        lease("{\"pool\":\"%s\",\"gpus\":8,\"ttl\":\"PT1H\"}".formatted(pool));
        JobCommand now = job("not-at-all", "--pool", pool, "--gpus", "8", "--max-wait", "0s", "--", "true");
        JobCommand soon = job("two-seconds", "--pool", pool, "--gpus", "8", "--max-wait", "2s", "--", "true");

        assertThat(now.code()).as(now.said()).isEqualTo(124);
        assertThat(soon.code()).as(soon.said()).isEqualTo(124);
        assertThat(onlyOpen(pool).get("state").asText()).isEqualTo("held");
    }

    @Test
    void refusalNoAccessNoBrokerAndWrongUsageAreToldApart() {
        JobCommand.mustBeThere();
        String pool = pool();
        assertThat(job("never", "--pool", pool, "--gpus", "12", "--", "true").code())
                .isEqualTo(78);
        assertThat(JobCommand.start(
                                data.resolve("stranger"),
                                java.util.Map.of(
                                        "GPU_BROKER_URL",
                                        broker.forClients().get("GPU_BROKER_URL"),
                                        "GPU_BROKER_TOKEN",
                                        "stranger"),
                                "--pool",
                                pool,
                                "--gpus",
                                "1",
                                "--",
                                "true")
                        .code())
                .isEqualTo(77);
        assertThat(job("usage", "--pool", pool, "--gpus", "1").code()).isEqualTo(64);
        assertThat(job("missing", "--pool", pool, "--gpus", "1", "--", "no-such-program")
                        .code())
                .isEqualTo(127);
        assertThat(job("no-path", "--pool", pool, "--gpus", "1", "--", "/no/such")
                        .code())
                .isEqualTo(127);
        assertThat(job("no-program", "--pool", pool, "--gpus", "1", "--", "/etc/passwd")
                        .code())
                .isEqualTo(126);
        assertThat(onlyOpen(pool)).isNull();
    }

    @Test
    void aBrokerThatIsAwayIsWaitedForNoLongerThanTheGpusWouldBe() {
        JobCommand.mustBeThere();
        long begun = System.nanoTime();
        JobCommand alone = JobCommand.start(
                data.resolve("alone"),
                java.util.Map.of("GPU_BROKER_URL", "http://127.0.0.1:9", "GPU_BROKER_TOKEN", "any"),
                "--pool",
                "lab",
                "--gpus",
                "1",
                "--max-wait",
                "1s",
                "--",
                "true");

        assertThat(alone.code()).isEqualTo(69);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void aSignalReachesTheJobWhoseOwnCodeIsKept() {
        JobCommand.mustBeThere();
        String pool = pool();
        JobCommand job = job(
                "signalled",
                "--pool",
                pool,
                "--gpus",
                "1",
                "--",
                "sh",
                "-c",
                "trap 'echo saved; exit 3' TERM; echo ready; while :; do sleep 0.1; done");
        job.until("it runs", () -> job.printed().contains("ready"));
        job.signal("TERM");

        assertThat(job.code()).as(job.said()).isEqualTo(3);
        assertThat(job.printed()).isEqualTo("ready\nsaved\n");
        assertThat(onlyOpen(pool)).isNull();
    }

    @Test
    void aSignalWhileItWaitsWithdrawsItFromTheLine() {
        JobCommand.mustBeThere();
        String pool = pool();
        JsonNode holder = lease("{\"pool\":\"%s\",\"gpus\":8,\"ttl\":\"PT1H\"}".formatted(pool))
                .body();
        JobCommand job = job("waits", "--pool", pool, "--gpus", "8", "--", "true");
        job.until("it waits", () -> job.said().contains("place 1 in line"));
        job.signal("INT");

        assertThat(job.code()).as(job.said()).isEqualTo(130);
        assertThat(onlyOpen(pool).get("id")).isEqualTo(holder.get("id"));
    }

    /** J-02: killed hard, it cannot give anything back; its job is ended all the same, and the broker ends the lease. */
    @Test
    void zKilledHardItLeavesNoJobBehindAndAStaleLeaseThatIsReleased() {
        JobCommand.mustBeThere();
        String pool = pool();
        JobCommand job = job(
                "killed",
                "--pool",
                pool,
                "--gpus",
                "8",
                "--ttl",
                "1m",
                "--",
                "sh",
                "-c",
                "echo ready; trap 'echo ended >> ended; exit 0' TERM; while :; do sleep 0.1; done");
        job.until("it runs", () -> job.printed().contains("ready"));
        JsonNode lease = onlyOpen(pool);
        job.kill();
        job.until("its job is ended", () -> Files.exists(job.folder.resolve("ended")));

        assertThat(read(lease).get("state").asText()).isEqualTo("held");
        broker.call("POST", "/v1/demo/clock", "{\"advance\":\"PT65S\"}");
        assertThat(read(lease).get("state").asText()).isEqualTo("stale");
        broker.call("POST", "/v1/demo/clock", "{\"advance\":\"PT65S\"}");
        assertThat(read(lease).get("state").asText()).isEqualTo("released");
        assertThat(lease("{\"pool\":\"%s\",\"gpus\":8}".formatted(pool)).status())
                .isEqualTo(201);
    }

    @Test
    void aJobWhoseLeaseEndsElsewhereIsStopped() {
        JobCommand.mustBeThere();
        String pool = pool();
        JobCommand job = job(
                "lost",
                "--pool",
                pool,
                "--gpus",
                "8",
                "--ttl",
                "10s",
                "--",
                "sh",
                "-c",
                "echo ready; while :; do sleep 0.1; done");
        job.until("it runs", () -> job.printed().contains("ready"));
        giveBack(onlyOpen(pool));

        assertThat(job.code()).as(job.said()).isEqualTo(125);
    }

    /** Heartbeats are far apart here, so only the last one, after the command's end, can tell. */
    @Test
    void aJobThatEndsWellAfterItsLeaseWasLostIsNoSuccess() {
        JobCommand.mustBeThere();
        String pool = pool();
        JobCommand job = job(
                "too-late",
                "--pool",
                pool,
                "--gpus",
                "8",
                "--ttl",
                "1h",
                "--",
                "sh",
                "-c",
                "echo ready; until [ -e go ]; do sleep 0.1; done");
        job.until("it runs", () -> job.printed().contains("ready"));
        giveBack(onlyOpen(pool));
        job.write("go");

        assertThat(job.code()).as(job.said()).isEqualTo(125);
    }

    @Test
    void theCommandKeepsToWhatPython38Knows() {
        JobCommand.mustBeThere();
        assertThat(JobCommand.isOfPython38()).isTrue();
    }

    /** A restart loses no holder and no place in line; the job goes on throughout. */
    @Test
    void zzARestartLosesNeitherHoldersNorTheLine() throws Exception {
        String pool = pool();
        String body = "{\"pool\":\"%s\",\"gpus\":8,\"ttl\":\"PT1H\"}".formatted(pool);
        JsonNode holder = lease(body).body();
        JsonNode first = lease(body).body();
        JsonNode second = lease(body).body();

        broker.restart();

        assertThat(read(holder).get("state").asText()).isEqualTo("held");
        assertThat(read(holder).get("access")).isEqualTo(holder.get("access"));
        assertThat(read(second).get("waitlist").get("position").asInt()).isEqualTo(2);
        giveBack(holder);
        when(first, "held");
        assertThat(read(second).get("state").asText()).isEqualTo("queued");
    }
}
