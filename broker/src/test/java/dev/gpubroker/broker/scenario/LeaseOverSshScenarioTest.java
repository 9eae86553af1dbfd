package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.access.SshServer;
import dev.gpubroker.broker.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The command for jobs when the leased machine is another one: a real sshd, which is this machine in disguise. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class LeaseOverSshScenarioTest {
    private static final String POOL = "far";

    private Path folder;
    private LoginHost host;
    private TestDatabase database;
    private RunningBroker broker;
    private final List<JobCommand> jobs = new ArrayList<>();

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        JobCommand.mustBeThere();
        this.folder = folder;
        this.host = LoginHost.start(Files.createDirectories(folder.resolve("ssh")));
        this.database = TestDatabase.create();
        this.broker = new RunningBroker(database, Files.createDirectories(folder.resolve("data")));
        RunningBroker.Answer made = broker.call("POST", "/v1/pools", """
                {"name":"%s","model":"A100-SXM4-80GB","gpusPerNode":8,"hosts":[{"name":"far-1","address":"%s"}]}""".formatted(POOL, host.address()));
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
    }

    @AfterAll
    void stop() {
        if (broker != null) {
            broker.close();
            database.close();
        }
        if (host != null) {
            host.close();
        }
    }

    @AfterEach
    void endJobs() {
        jobs.forEach(JobCommand::kill);
    }

    /** @param words from {@code --} on, the command */
    private JobCommand job(String name, String... words) {
        List<String> all = new ArrayList<>(List.of("--pool", POOL, "--gpus", "2", "--ttl", "10s"));
        all.addAll(host.words());
        all.addAll(List.of(words));
        JobCommand job = JobCommand.start(folder.resolve(name), broker, all.toArray(String[]::new));
        jobs.add(job);
        return job;
    }

    private Path workspace(String name) throws IOException {
        Path workspace = Files.createDirectories(folder.resolve(name));
        Files.writeString(workspace.resolve("train.sh"), "echo weights > model.bin; echo trained on $1\n");
        return workspace;
    }

    private void leftBehindMonthsAgo(String lease) throws IOException {
        Path alive = Files.createDirectories(host.home.resolve(".gpu-broker").resolve(lease))
                .resolve("alive");
        Files.createFile(alive);
        Files.setLastModifiedTime(alive, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
    }

    private JsonNode open() {
        JsonNode items = broker.get("/v1/leases?state=held,stale,queued").get("items");
        return items.isEmpty() ? null : items.get(0);
    }

    /** Copies of workspaces; those of jobs that were killed hard stay a while. */
    private Set<Path> copiesThere() throws IOException {
        Path all = host.home.resolve(".gpu-broker");
        if (!Files.exists(all)) {
            return Set.of();
        }
        try (Stream<Path> each = Files.list(all)) {
            return each.collect(Collectors.toSet());
        }
    }

    @Test
    void theWorkspaceGoesThereTheCommandRunsOnItsGpusAndItsFilesComeBack() throws Exception {
        Set<Path> before = copiesThere();
        leftBehindMonthsAgo("lse_old");
        Path workspace = workspace("trains");
        Files.writeString(workspace.resolve(".gpu-broker-ignore"), "# not needed there\ndata/\n/top.txt\n");
        Files.createDirectories(workspace.resolve("data"));
        Files.writeString(workspace.resolve("data/big.bin"), "big");
        Files.writeString(workspace.resolve("top.txt"), "top");
        Files.writeString(workspace.resolve("notes.log"), "notes");

        JobCommand job = job(
                "trains",
                "--exclude",
                "*.log",
                "--artifacts",
                "model*",
                "--artifacts-to",
                workspace.resolve("back").toString(),
                "--json",
                "--",
                "sh",
                "-c",
                "ls -A; sh train.sh $CUDA_VISIBLE_DEVICES; exit 5");

        assertThat(job.code()).as(job.said()).isEqualTo(5);
        assertThat(job.printed().lines())
                .as(job.said())
                .contains("train.sh", "trained on 0,1")
                .doesNotContain("data", "top.txt", "notes.log");
        assertThat(workspace.resolve("back/model.bin")).content().isEqualTo("weights\n");
        assertThat(host.home.resolve(".gpu-broker/lse_old")).doesNotExist();
        assertThat(job.said()).contains("\"event\": \"copied\"", "\"event\": \"fetched\"", "\"code\": 5");
        assertThat(copiesThere()).isEqualTo(before);
        assertThat(open()).isNull();
    }

    /** A reservation whose machine was asked when it began, so that its key is known. */
    private String greeted() {
        RunningBroker.Answer made = broker.call("POST", "/v1/pools", """
                {"name":"greeted","model":"H100-SXM5-80GB","gpusPerNode":8,"readiness":"ssh",
                 "hosts":[{"name":"greeted-1","address":"%s"}]}""".formatted(host.address()));
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
        RunningBroker.Answer booked = broker.book(
                """
                {"gpu":{"model":"H100-SXM5-80GB","count":8},"start":"%s","duration":"PT4H","constraints":{"platforms":["pool"]}}""".formatted(broker.get("/v1/demo/clock").get("now").asText()));
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        broker.walkTo(booked.body().get("request").get("start").asText());
        assertThat(broker.reservation(booked.body()).get("state").asText()).isEqualTo("active");
        return booked.body().get("id").asText();
    }

    @Test
    void aJobGoesOnlyToAMachineWithTheKeyThatTheBrokerSaw() {
        String reservation = greeted();

        JobCommand job = greetedJob("greeted", reservation);
        assertThat(job.code()).as(job.said()).isEqualTo(0);
        assertThat(job.printed()).isEqualTo("trained\n");

        database.execute("UPDATE machine_readiness SET host_key = '"
                + SshServer.publicHalf(host.key()).replaceAll(" user$", "") + "'");
        JobCommand deceived = greetedJob("deceived", reservation);
        assertThat(deceived.code()).as(deceived.said()).isEqualTo(126);
        assertThat(deceived.said()).contains("Host key verification failed");
        assertThat(deceived.printed()).isEmpty();
        assertThat(open()).isNull();
    }

    private JobCommand greetedJob(String name, String reservation) {
        List<String> words = new ArrayList<>(List.of("--reservation", reservation, "--gpus", "2", "--ttl", "10s"));
        words.addAll(List.of("--identity", host.key().toString(), "--ssh-option", "IdentitiesOnly=yes"));
        words.addAll(List.of("--", "echo", "trained"));
        JobCommand job = JobCommand.start(folder.resolve(name), broker, words.toArray(String[]::new));
        jobs.add(job);
        return job;
    }

    @Test
    void aSignalReachesTheCommandThereAndAllThatItHasStarted() throws Exception {
        Set<Path> before = copiesThere();
        Path pid = folder.resolve("child.pid");
        JobCommand job = job(
                "signalled",
                "--",
                "sh",
                "-c",
                "trap 'echo saved; exit 3' TERM; sleep 600 & echo $! > '" + pid
                        + "'; echo ready; while :; do sleep 0.1; done");
        job.until("it runs", () -> job.printed().contains("ready"));
        job.signal("TERM");

        assertThat(job.code()).as(job.said()).isEqualTo(3);
        assertThat(job.printed()).isEqualTo("ready\nsaved\n");
        job.andThen("nothing of it is left", () -> !lives(pid));
        assertThat(copiesThere()).isEqualTo(before);
        assertThat(open()).isNull();
    }

    @Test
    void killedHardItLeavesNothingRunningThere() throws Exception {
        Path pid = folder.resolve("killed.pid");
        JobCommand job = job("killed", "--", "sh", "-c", "echo $$ > '" + pid + "'; echo ready; sleep 600");
        job.until("it runs", () -> job.printed().contains("ready"));
        JsonNode lease = open();
        job.kill();

        job.andThen("the command there is ended", () -> !lives(pid));
        broker.call("DELETE", "/v1/leases/" + lease.get("id").asText(), null);
    }

    @Test
    void aCommandThereWhoseLeaseIsLostIsStopped() throws Exception {
        Path pid = folder.resolve("lost.pid");
        JobCommand job = job("lost", "--", "sh", "-c", "echo $$ > '" + pid + "'; echo ready; sleep 600");
        job.until("it runs", () -> job.printed().contains("ready"));
        broker.call("DELETE", "/v1/leases/" + open().get("id").asText(), null);

        assertThat(job.code()).as(job.said()).isEqualTo(125);
        job.andThen("the command there is ended", () -> !lives(pid));
    }

    @Test
    void aMachineThatIsNotReachedAndAWorkspaceThatIsTooLargeAreToldApart() throws Exception {
        Set<Path> before = copiesThere();
        JobCommand unreachable = job("unreachable", "--port", "1", "--", "true");
        assertThat(unreachable.code()).as(unreachable.said()).isEqualTo(126);

        Path workspace = workspace("large");
        byte[] noise = new byte[300_000];
        new java.util.Random(7).nextBytes(noise);
        Files.write(workspace.resolve("noise.bin"), noise);
        JobCommand large = job("large", "--workspace-limit", "100k", "--", "true");
        assertThat(large.code()).as(large.said()).isEqualTo(64);
        assertThat(large.said()).contains("--workspace-limit");
        assertThat(copiesThere()).isEqualTo(before);
        assertThat(open()).isNull();
    }

    private static boolean lives(Path pidFile) {
        try {
            long pid = Long.parseLong(Files.readString(pidFile).strip());
            return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
